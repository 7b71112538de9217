"""Closing months by hand: what refuses a close, and the closing book."""
