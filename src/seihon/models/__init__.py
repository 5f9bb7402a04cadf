"""What counts, reads and writes language: each behind a protocol, with a default that needs no network.

A model is never called inside a transaction, and nothing here knows the database.
"""
