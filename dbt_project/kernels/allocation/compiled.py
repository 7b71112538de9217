"""How the compiled functions are compiled and kept.

The problem. Compiling takes seconds, so machine code is cached on disk. But numba looks only at the file that holds a
function: after a change in `loop.py` it would go on using what `journal.py` compiled against the old one, and the books
would be computed by code that no longer exists. So the cache lives in a folder named after the hash of every source
file that goes into the machine code. Where no folder can be written, the code is compiled anew in each process.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import njit

_HERE = Path(__file__).parent
COMPILED_FROM = ("compiled.py", "journal.py", "loop.py", "ordering.py", "words.py")


def _sources() -> str:
    digest = hashlib.sha256()
    for name in COMPILED_FROM:
        digest.update(name.encode() + b"\0" + (_HERE / name).read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path | None:
    own = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for root in (_HERE / "__pycache__", Path(own) / "tieout"):
        folder = root / f"numba-{_sources()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue  # a read-only installation: the next place, and at last none
        if os.access(folder, os.W_OK):
            return folder
    return None


_FOLDER = _cache_folder()


def fast(function: Callable[..., Any], inner: bool = True) -> Callable[..., Any]:
    """Compile on first use, without the interpreter's lock, and keep the machine code on disk.

    `inner` functions are called from compiled code only: the wrappers for calls from Python, which take long to
    compile, are left out. Reference counts are left out too (`_nrt`): the loop makes no array, its caller keeps all of
    them alive, and counting each array at each call cost two thirds of the time.
    """
    options = {"nogil": True, "error_model": "numpy", "_nrt": False}
    options |= {"no_cpython_wrapper": inner, "no_cfunc_wrapper": True}
    if _FOLDER is None:
        return njit(**options)(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_FOLDER)
    try:
        return njit(cache=True, **options)(function)
    finally:
        numba.config.CACHE_DIR = before


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `fast`, for a function that Python calls."""
    return fast(function, inner=False)
