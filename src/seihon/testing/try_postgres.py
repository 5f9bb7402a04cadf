"""A PostgreSQL server to try Seihon on: ``python -m seihon.testing.try_postgres`` serves until Ctrl-C.

It prints the addresses that the page about PostgreSQL reads, one shell line each. The three logins of that
page are there already; everything goes with the process.
"""

from __future__ import annotations

import sys
import threading

from seihon.testing.postgres import PostgresAddress, PostgresServer

LOGINS = {"SEIHON_DB": "web", "WORKER_URL": "jobs", "SEIHON_MAINTENANCE_URL": "ops"}
_PASSWORD = "try"  # noqa: S105 - of a server that listens on this machine alone and is gone soon


def addresses(address: PostgresAddress) -> dict[str, str]:
    """Make the logins and return the URL of each by its variable, the admin's first."""
    import psycopg

    with psycopg.connect(address.admin_url()) as connection:
        for login in LOGINS.values():
            # A role takes no parameters; both words are constants.
            connection.execute(f"CREATE ROLE {login} LOGIN PASSWORD '{_PASSWORD}'".encode())
    place = f"{address.host}:{address.port}/postgres"
    urls = {name: f"postgresql://{login}:{_PASSWORD}@{place}" for name, login in LOGINS.items()}
    return {"ADMIN_URL": address.admin_url(), **urls}


def main() -> None:
    """Serve until Ctrl-C."""
    with PostgresServer() as server:
        for name, url in addresses(server.address).items():
            sys.stdout.write(f"export {name}='{url}'\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            sys.stderr.write("Stopped; its files are removed.\n")


if __name__ == "__main__":
    main()
