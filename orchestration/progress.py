"""How long work tells where it is: one place to say it, one listener to show it.

The command sets a listener (a progress line on a terminal, plain lines in a log); Dagster's own runs have none and
keep their event log. Steps say what they do in a person's words.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

Listener = Callable[[str, int, int], None]

_listeners: list[Listener] = []


def say(text: str, done: int = 0, of: int = 0) -> None:
    """Tell the listener what is being done now; `done` of `of` when the amount of work is known."""
    for listener in _listeners:
        listener(text, done, of)


@contextlib.contextmanager
def shown(listener: Listener) -> Iterator[None]:
    """Send everything said inside the block to this listener."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
