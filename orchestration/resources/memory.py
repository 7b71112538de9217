"""How much memory DuckDB may hold before it goes on in a file: in the home, beside the file that it works on."""

from __future__ import annotations

import os
import re

from orchestration.errors import UsageError

VARIABLE, SHARE, LEAST = "TIEOUT_MEMORY", 0.5, 1 << 30


def memory_limit() -> str:
    """$TIEOUT_MEMORY (`6GB`), else half of the machine's memory: the kernel and the reader of files hold the rest.

    Raises UsageError where the variable is no amount of memory.
    """
    wanted = os.environ.get(VARIABLE)
    if not wanted:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return f"{max(int(machine * SHARE), LEAST) >> 20}MiB"
    if not re.fullmatch(r"[1-9][0-9]{0,5} ?(MB|GB|MiB|GiB)", wanted):
        raise UsageError(f"{VARIABLE} is {wanted!r}; expected an amount of memory, such as 6GB.")
    return wanted
