"""`tieout statement`: the documents room draws them, this writes the files."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from urllib.parse import quote

from orchestration.errors import UsageError
from orchestration.home import Home
from orchestration.progress import say


def write_one(home: Home, lease_id: str, month: str, out: Path, source_system: str | None) -> Path:
    """Write the statement of one lease. Raises UsageError for a lease or a month that there is no statement of."""
    from apps.documents.statement import StatementRefused, statement_pdf
    from apps.reports.published import Published

    try:
        content = statement_pdf(Published(home.path), lease_id, month, source_system=source_system)
    except StatementRefused as refused:
        raise UsageError(str(refused)) from None
    return _write(out, content)


def write_all(home: Home, month: str, folder: Path, of: Collection[tuple[str, str]] | None = None) -> list[Path]:
    """Write a statement per lease into a folder (made if missing), named after the lease and the month.

    With `of` only those of these (source_system, lease_id). Leases without anything to say get none.
    """
    from apps.documents.statement import StatementRefused, statement_leases, statement_pdfs
    from apps.reports.published import Published

    published = Published(home.path)
    written = []
    try:
        leases = [key for key in statement_leases(published, month) if of is None or key in of]
        folder.mkdir(parents=True, exist_ok=True)
        for source_system, lease_id, content in statement_pdfs(published, month, leases):
            say(f"Drawing {lease_id}", len(written) + 1, len(leases))
            source = "" if source_system == "default" else f"{quote(source_system, safe='')}-"
            written.append(_write(folder / f"{source}{quote(lease_id, safe='')}-{month}.pdf", content))
    except StatementRefused as refused:
        raise UsageError(str(refused)) from None
    return written


def _write(path: Path, content: bytes) -> Path:
    if not path.parent.is_dir():
        raise UsageError(f"There is no folder {path.parent}.", "Give --out a file in a folder that exists.")
    if path.is_dir():
        raise UsageError(f"{path} is a folder.", "Give --out the file to write, for example statement.pdf in it.")
    part = path.with_name(path.name + ".part")
    part.write_bytes(content)
    part.replace(path)
    return path
