"""The door: files become rows, rows are judged, what may enter is accepted. Nothing that lands is lost or guessed.

read.py reads a file as text or refuses it whole; judge/ holds the rules as SQL made from the contract; accept.py lets
rows in until nothing more enters; land.py does a run in one transaction; store.py makes the tables; reasons.py is the
closed list of reasons for which a row waits.
"""

from __future__ import annotations

from orchestration.landing.land import Batch, CannotWrite, LandingReport, Noted, land, resolve_quarantine
from orchestration.landing.raw_table import FileRefused
from orchestration.landing.reasons import REASONS, Reason, reasons_markdown
from orchestration.landing.store import ensure_raw, open_raw

__all__ = [
    "REASONS",
    "Batch",
    "CannotWrite",
    "FileRefused",
    "LandingReport",
    "Noted",
    "Reason",
    "ensure_raw",
    "land",
    "open_raw",
    "reasons_markdown",
    "resolve_quarantine",
]
