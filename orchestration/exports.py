"""`tieout export`: the documents room makes the books of a format, this writes the files.

Beside every export stands what it is: build, as-of day, range, totals and the hash of each file. What a target would
refuse is listed on the terminal and, whole, in a CSV file; then no books are written.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from orchestration.errors import CheckFailed, UsageError
from orchestration.home import Home
from orchestration.progress import say

if TYPE_CHECKING:
    from apps.documents.books.target import Finding

SHOWN = 10  # findings on the terminal: enough to see what they have in common; the file lists all


def write_export(
    home: Home,
    format: str,
    out: Path,
    *,
    book: str = "accrual",
    entity: str | None = None,
    source: str | None = None,
    first: str = "",
    last: str = "",
    detail: bool = True,
    names: Path | None = None,
) -> list[Path]:
    """Write the books in a format. `out` is a file, or a folder (there already, or a name without an ending).

    `first` and `last` are months (`2026-10`), empty for all there are. Returns the files written. Raises UsageError for
    what is not published or cannot be written, CheckFailed for what the target would refuse.
    """
    from apps.documents.books.export import export_books
    from apps.documents.books.mapping import NOTHING_MAPPED, read_mapping
    from apps.documents.books.selection import BooksDiffer, ExportRefused, Scope
    from apps.reports.published import Published

    say("Selecting the books", 0, 0)
    try:
        known = read_mapping(names) if names else NOTHING_MAPPED
        scope = Scope(book, entity, source, first, last)
        export = export_books(Published(home.path), format, scope, detail=detail, names=known)
    except ExportRefused as refused:
        raise UsageError(str(refused)) from None
    except BooksDiffer as differ:
        raise CheckFailed(str(differ)) from None
    is_folder = out.is_dir() or not out.suffix
    refused_file = (out / "refused.csv") if is_folder else out.with_name(out.name + ".refused.csv")
    if export.findings:
        _make(refused_file.parent, is_folder)
        _write(refused_file, _refused_csv(export.findings))
        message = _refused_text(format, export.findings, refused_file)
        if export.names is not None:
            names_file = (out / "names.csv") if is_folder else out.with_name(out.name + ".names.csv")
            if not names_file.exists():
                _write(names_file, export.names)
            message += f"\nA mapping file to begin with is {names_file}; give it with --names."
        raise CheckFailed(message, checks=export.findings)
    paths = _paths(export.stem, export.suffix, len(export.files), out, is_folder)
    _make(paths[0].parent, is_folder)
    _no_other_parts(paths, format, export.suffix, is_folder)
    about = (out / "about.txt") if is_folder else out.with_name(out.name + ".about.txt")
    for number, (path, content) in enumerate(zip(paths, export.files, strict=True), start=1):
        say(f"Writing {path.name}", number, len(paths))
        _write(path, content)
    _write(about, export.about_text([path.name for path in paths]).encode())
    refused_file.unlink(missing_ok=True)
    return [*paths, about]


def _paths(stem: str, suffix: str, count: int, out: Path, is_folder: bool) -> list[Path]:
    if not is_folder:
        if count > 1:
            raise UsageError(
                f"This export is {count} files: the target takes only so many lines in one.",
                f"Give --out a folder, such as {out.with_suffix('')}.",
            )
        return [out]
    if count == 1:
        return [out / f"{stem}{suffix}"]
    return [out / f"{stem}-{number:03}-of-{count:03}{suffix}" for number in range(1, count + 1)]


def _make(folder: Path, may_be_made: bool) -> None:
    try:
        if may_be_made:
            folder.mkdir(exist_ok=True)
        elif not folder.is_dir():
            raise UsageError(f"There is no folder {folder}.", "Give --out a file in a folder that exists.")
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}.", "Give another place with --out.") from None


def _no_other_parts(paths: Sequence[Path], format: str, suffix: str, is_folder: bool) -> None:
    """A part of an earlier export left beside the new ones would be imported with them, and count twice."""
    if not is_folder:
        return
    others = sorted(path.name for path in paths[0].parent.glob(f"{format}-*{suffix}") if path not in paths)
    if others:
        raise UsageError(
            f"{paths[0].parent} holds files of another export: {', '.join(others[:3])}"
            f"{' ...' if len(others) > 3 else ''}. Imported together, entries would count twice.",
            "Remove them, or give --out another folder.",
        )


def _write(path: Path, content: bytes) -> None:
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {error.strerror}.", "Give another place with --out.") from None


def _refused_csv(findings: Sequence[Finding]) -> bytes:
    from io import StringIO

    from apps.documents.formulas import defused

    columns = ("document", "line", "field", "found", "limit", "what_to_do", "lines")
    stream = StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(columns)
    for finding in findings:
        writer.writerow([defused(str(getattr(finding, column))) for column in columns])
    return stream.getvalue().encode("utf-8-sig")


def _refused_text(format: str, findings: Sequence[Finding], file: Path) -> str:
    lines = [f"Nothing was written: {format} would refuse {len(findings)} of what it would be given."]
    for finding in findings[:SHOWN]:
        where = f"{finding.document} line {finding.line}" if finding.line else finding.document
        also = f" ({finding.lines} times)" if finding.lines > 1 else ""
        lines.append(f"  {where}, {finding.field}: found {finding.found}; allowed: {finding.limit}{also}")
        lines.append(f"    {finding.what_to_do}")
    if len(findings) > SHOWN:
        lines.append(f"  ... and {len(findings) - SHOWN} more")
    lines.append(f"All of them are in {file}.")
    return "\n".join(lines)
