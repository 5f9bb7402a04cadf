"""What ships for tests: a clock, a PostgreSQL server, and the suites that prove a contract."""
