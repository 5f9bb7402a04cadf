"""Seihon: the system of record for what an AI application knows about its users."""
