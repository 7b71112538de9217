"""`tieout export`: files, what is said, exit codes, and nothing written where a target would refuse it."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import pytest

from orchestration.cli import run_command
from orchestration.home import Home

pytestmark = pytest.mark.journey

OCTOBER = ("--entity", "birchline", "--from", "2026-10", "--to", "2026-10")


@pytest.fixture
def tieout(sample_home: Home, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def run(*words: str) -> tuple[int, str, str]:
        code = run_command(["export", *words, "--home", str(sample_home.path)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_a_file_stands_with_what_it_is_beside_it(tieout, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "books.journal"
    code, said, _ = tieout("--format", "hledger", "--out", str(out), "--summary", *OCTOBER)
    assert code == 0 and "Book: accrual" in said and str(out) in said
    about = (tmp_path / "books.journal.about.txt").read_text(encoding="utf-8")
    assert f"sha256 of books.journal: {hashlib.sha256(out.read_bytes()).hexdigest()}" in about
    assert sorted(path.name for path in tmp_path.iterdir()) == ["books.journal", "books.journal.about.txt"]


def test_what_xero_would_refuse_is_listed_and_after_the_names_are_put_right_it_is_written_in_parts(
    tieout,
    tmp_path: Path,  # type: ignore[no-untyped-def]
) -> None:
    out = tmp_path / "xero"
    code, _, complaint = tieout("--format", "xero", "--out", str(out), "--summary", *OCTOBER)
    assert code == 3 and "found 1200 (receivable)" in complaint and "kind=ordinary" in complaint
    assert sorted(path.name for path in out.iterdir()) == ["names.csv", "refused.csv"]
    with open(out / "refused.csv", encoding="utf-8-sig", newline="") as stream:
        refused = list(csv.DictReader(stream))
    assert {row["found"] for row in refused} == {"1010 (bank)", "1020 (bank)", "1200 (receivable)"}
    names = out / "names.csv"
    text = names.read_text(encoding="utf-8-sig")
    names.write_text(text.replace(",receivable,", ",ordinary,").replace(",bank,", ",ordinary,"), encoding="utf-8")
    words = ("--format", "xero", "--out", str(out), "--names", str(names), *OCTOBER)
    code, _, complaint = tieout(*words)
    assert code == 0, complaint
    parts = sorted(path.name for path in out.glob("xero-*.csv"))
    assert len(parts) > 1 and parts[0].startswith("xero-birchline-2026-10-to-2026-10-001-of-")
    assert not (out / "refused.csv").exists() and (out / "about.txt").exists()
    code, _, complaint = tieout(*words, "--summary")  # fewer lines, other parts: imported together they count twice
    assert code == 2 and "files of another export" in complaint
    assert sorted(path.name for path in out.glob("xero-*.csv")) == parts
    code, _, complaint = tieout("--format", "xero", "--out", str(tmp_path / "one.csv"), "--names", str(names), *OCTOBER)
    assert code == 2 and "Give --out a folder" in complaint and not (tmp_path / "one.csv").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--format", "sap"), "Format 'sap' is not known"),
        (("--format", "csv", "--entity", "nobody"), "Entity nobody is not in the published books"),
        (("--format", "csv", "--from", "October"), "Month 'October' was not understood"),
        (("--format", "csv", "--book", "tax"), "There is no book 'tax'"),
        (("--format", "hledger", "--names", "names.csv"), "names.csv cannot be read"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence_with_exit_code_two(
    tieout,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    says: str,  # type: ignore[no-untyped-def]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, complaint = tieout(*words, "--out", str(tmp_path / "books.csv"))
    assert code == 2 and says in complaint and "Traceback" not in complaint
    assert list(tmp_path.iterdir()) == []


def test_a_place_where_nothing_can_be_written_is_said_in_words(tieout, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, _, complaint = tieout("--format", "csv", "--out", str(tmp_path / "no" / "books.csv"), *OCTOBER)
    assert code == 2 and "There is no folder" in complaint


def test_a_refused_export_leaves_the_file_of_an_earlier_one_as_it_was(tieout, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "books.iif"
    out.write_bytes(b"before")
    code, _, complaint = tieout("--format", "iif", "--out", str(out), "--summary", *OCTOBER)
    assert code == 3 and "Nothing was written" in complaint
    assert out.read_bytes() == b"before"
