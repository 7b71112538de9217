"""What a spreadsheet would run: the one rule by which text is made harmless in every CSV that is written here.

A workbook (XLSX) needs no such rule: there, a text cell says that it is text.
"""

from __future__ import annotations

#: What a formula may begin with; a tab, a line end and the full-width signs are read over or taken for the plain ones.
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def defused(value: str) -> str:
    """Text that a spreadsheet shows and never runs: what would start a formula gets an apostrophe in front."""
    return f"'{value}" if value.startswith(STARTS) else value
