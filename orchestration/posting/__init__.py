"""Posting runs: what is due becomes charges in the landing contract."""
