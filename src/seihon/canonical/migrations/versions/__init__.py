"""Released revisions: each file is frozen once released; its hash is on record in the tests."""
