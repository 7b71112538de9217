"""How the pages are started: the command line and the environment, for `tieout app` and for the browser tests.

Kept free of Streamlit imports, so that a command can ask for it in no time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

SCRIPT = Path(__file__).parent / "streamlit_app.py"


def command(*, port: int = 8501, headless: bool = True) -> list[str]:
    """The argv that serves the pages on 127.0.0.1:``port``; ``headless=False`` opens the person's browser as well."""
    return [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(SCRIPT),
        "--server.port",
        str(port),
        "--server.address",
        "127.0.0.1",
        "--server.headless",
        "true" if headless else "false",
        "--server.showEmailPrompt",
        "false",
        "--browser.gatherUsageStats",
        "false",
    ]


def environment(home: Path, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment in which ``command`` shows the build published in ``home``."""
    return {**(os.environ if base is None else base), "TIEOUT_HOME": str(Path(home).resolve())}
