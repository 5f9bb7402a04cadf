"""The original: conversations, profiles, notes, deletions and the outbox, on SQLite and PostgreSQL.

``database`` opens transactions and hands out owner-bound handles; ``scope`` holds the handles and the
subqueries that every statement starts from; the other modules hold the named statements of one noun each.
Raw tables do not leave this folder.
"""
