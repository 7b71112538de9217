"""Files made to harm: bombs, names that lead elsewhere, XML that declares entities, rows and columns without end.

Each is refused with a message that says what was found and what is the limit, and takes neither memory nor time.
"""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from pathlib import Path

import openpyxl
import polars as pl
import pytest
import xlsxwriter

from orchestration.contract import contract
from orchestration.errors import TieoutError, UsageError
from orchestration.landing import FileRefused, limits
from orchestration.landing.read import FileRead, read_file
from tests.landing.portfolio import Door, charge

HEADER = "charge_id,lease_id,charge_code,amount,posted_on,reason"
ROW = "C1,L1,RENT,1500.00,2026-10-01,"
CELLS = ("charge_id", "lease_id", "charge_code", "amount", "posted_on", "reason")


def read(data: str | bytes, file: str = "charges.csv") -> FileRead:
    raw = data.encode("utf-8") if isinstance(data, str) else data
    return read_file(file, raw, contract()["charges"], "default")


def refused(data: str | bytes, file: str = "charges.csv") -> str:
    with pytest.raises(FileRefused) as refusal:
        read(data, file)
    return str(refusal.value)


def workbook(*rows: tuple[object, ...]) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    book.active.append(CELLS)
    for row in rows or (("C1", "L1", "RENT", 1500, "2026-10-01", "x"),):
        book.active.append(row)
    return book


def saved(book: openpyxl.Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def repacked(data: bytes, changes: dict[str, bytes]) -> bytes:
    """The workbook with parts changed or added."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(entry.filename, changes.pop(entry.filename, old.read(entry)))
        for name, content in changes.items():
            new.writestr(name, content)
    return stream.getvalue()


SHEET = "xl/worksheets/sheet1.xml"


def sheet_of(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(SHEET)


# --------------------------------------------------------------------------------------------------------------- bombs


def test_a_gzip_that_unpacks_beyond_the_limit_is_refused_when_the_limit_is_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "UNPACKED_BYTES", 50_000_000)
    bomb = gzip.compress((HEADER + "\n").encode() + (ROW + " " * 1000 + "\n").encode() * 60_000)
    assert len(bomb) < 500_000
    message = refused(bomb, "charges.csv.gz")
    assert "found more than 50,000,000 bytes inside the gzip; expected at most 50,000,000 bytes unpacked" in message
    assert "Split the export" in message


def test_the_limit_of_a_gzip_holds_for_every_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNPACKED_BYTES", 10_000)
    monkeypatch.setattr(limits, "WHOLE_BYTES", 100_000_000)
    for file in ("charges.csv.gz", "charges.jsonl.gz", "charges.parquet.gz", "charges.xlsx.gz"):
        assert "at most 10,000 bytes unpacked" in refused(gzip.compress(b"{}\n" * 50_000), file)


def test_a_workbook_that_unpacks_beyond_the_limit_is_refused_before_it_is_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "WHOLE_BYTES", 5_000_000)
    bomb = repacked(saved(workbook()), {SHEET: b"<worksheet>" + b" " * 20_000_000})
    assert len(bomb) < 100_000
    message = refused(bomb, "charges.xlsx")
    assert "found a workbook that unpacks to 20," in message and "at most 5,000,000 bytes unpacked" in message


def test_a_workbook_of_countless_parts_is_refused() -> None:
    many = repacked(saved(workbook()), {f"xl/media/{n}": b"" for n in range(2_001)})
    assert "parts; expected at most 2,000 parts" in refused(many, "charges.xlsx")


def test_a_parquet_of_countless_values_is_refused_by_its_own_count(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO()
    pl.DataFrame(dict.fromkeys(CELLS, ["x"] * 50_000)).write_parquet(stream)
    monkeypatch.setattr(limits, "PARQUET_VALUES", 200_000)
    message = refused(stream.getvalue(), "charges.parquet")
    assert "found 50,000 rows of 6 columns; expected at most 200,000 values" in message


@pytest.mark.parametrize("file", ["charges.jsonl", "charges.parquet", "charges.xlsx"])
def test_a_file_that_must_be_read_whole_has_a_limit_of_its_own(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WHOLE_BYTES", 1_000)
    assert "found more than 1,000 bytes; expected at most 1,000 bytes in a file of this kind" in refused(
        b"x" * 2_000, file
    )


# --------------------------------------------------------------------------------------------------- width and length


def test_a_hundred_thousand_columns_are_refused_in_every_format() -> None:
    names = [f"c{n}" for n in range(100_000)]
    files = {
        "charges.csv": ",".join(names).encode() + b"\n",
        "charges.jsonl": ("{" + ", ".join(f'"{name}": 1' for name in names) + "}").encode(),
    }
    stream = io.BytesIO()
    pl.DataFrame({name: [1] for name in names[:2_000]}).write_parquet(stream)
    files["charges.parquet"] = stream.getvalue()
    book = openpyxl.Workbook()
    book.active.append(names[:2_000])
    files["charges.xlsx"] = saved(book)
    for file, data in files.items():
        assert "columns; expected at most 1,000" in refused(data, file), file


@pytest.mark.parametrize("file", ["charges.csv", "charges.jsonl"])
def test_a_row_without_end_is_refused(file: str) -> None:
    if file.endswith("csv"):
        data = f"{HEADER}\n{ROW}short\n{ROW}{'x' * 5_000_000}\n"
        assert "row 3: found a row of 5,0" in refused(data, file)
        assert "at most 4,194,304 bytes a row" in refused(data, file)
    else:
        fields = dict(zip(CELLS, ROW.split(","), strict=True)) | {"reason": "x" * 5_000_000}
        line = "{" + ", ".join(f'"{name}": "{value}"' for name, value in fields.items()) + "}"
        assert "row 1, column reason: found a value of 5,000,000 bytes" in refused(line, file)


def test_a_quotation_mark_that_swallows_a_large_file_is_found_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestration.landing.read_csv._BLOCK_BYTES", 100_000)
    monkeypatch.setattr(limits, "ROW_BYTES", 10_000)
    message = refused(f'{HEADER}\n{ROW}"never closed\n' + f"{ROW}x\n" * 10_000)
    assert "row 2" in message and "quotation mark that is never closed" in message


def test_values_nested_without_end_are_refused() -> None:
    assert "nested too deeply" in refused('{"charge_id": ' + "[" * 200_000, "charges.jsonl")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (b'6" by 3" wide', "a quotation mark inside a value"),
        (b'"quoted" and not', "a quotation mark inside a value"),
        (b' "a blank first"', "a quotation mark inside a value"),
        (b"two\rlines", "a carriage return inside a value"),
    ],
)
def test_a_value_that_two_programs_would_cut_differently_refuses_the_file(value: bytes, words: str) -> None:
    message = refused(HEADER.encode() + b"\n" + ROW.encode() + value + b"\n")
    assert words in message and "row 2, column reason" in message


@pytest.mark.parametrize("encoding", ["cp037", "utf-16-be", "utf-32-le", "cp1252", "shift_jis", "gb18030"])
def test_another_encoding_is_refused(encoding: str) -> None:
    name = "日本" if encoding in ("shift_jis", "gb18030") else "José"
    assert "UTF-8" in refused(f"{HEADER}\n{ROW}{name}\n".encode(encoding))


# ----------------------------------------------------------------------------------------------------------- workbooks


@pytest.mark.parametrize("name", ["/etc/passwd", "../../outside.xml", "xl\\..\\..\\outside.xml", "C:\\evil.xml"])
def test_a_part_of_a_workbook_that_lies_outside_it_is_refused(name: str, tmp_path: Path) -> None:
    message = refused(repacked(saved(workbook()), {name: b"x"}), "charges.xlsx")
    assert "which lies outside the workbook" in message
    assert list(tmp_path.iterdir()) == []


def test_a_part_that_stands_twice_is_refused() -> None:
    stream = io.BytesIO(saved(workbook()))
    with zipfile.ZipFile(stream, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(SHEET, sheet_of(saved(workbook(("C2", "L1", "RENT", 1, "2026-10-01", "y")))))
    assert f"the part '{SHEET}' twice" in refused(stream.getvalue(), "charges.xlsx")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "xl/styles.xml"])
def test_entities_are_never_expanded(part: str, encoding: str, tmp_path: Path) -> None:
    """Neither an entity that reads a file of this machine nor one that doubles itself forty times."""
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    doubling = "".join(f'<!ENTITY a{n} "&a{n - 1};&a{n - 1};">' for n in range(1, 40))
    xml = (
        f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY a0 "ha">{doubling}'
        f'<!ENTITY file SYSTEM "{secret.as_uri()}">]><worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>'
        "&file;&a39;</t></is></c></row></sheetData></worksheet>"
    )
    message = refused(repacked(saved(workbook()), {part: xml.encode(encoding)}), "charges.xlsx")
    assert f"a document type in the part '{part}'" in message
    assert "SECRET" not in message


def test_a_formula_gives_the_value_that_the_spreadsheet_worked_out() -> None:
    data = saved(workbook())
    calculated = sheet_of(data).replace(b"<v>1500</v>", b"<f>1000+500.5</f><v>1500.5</v>")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        book = archive.read("xl/workbook.xml").replace(b'fullCalcOnLoad="1"', b"")
    assert b"<f>" in calculated
    found = read(repacked(data, {SHEET: calculated, "xl/workbook.xml": book}), "charges.xlsx")
    assert found.frame["amount"].to_list() == ["1500.5"]


def test_a_formula_that_was_never_worked_out_refuses_the_file() -> None:
    book = workbook(("C1", "L1", "RENT", "=1000+500", "2026-10-01", "x"))
    message = refused(saved(book), "charges.xlsx")
    assert "formulas without a value that was worked out (D2)" in message and "let it calculate" in message


def test_the_nought_that_a_program_writes_for_a_formula_it_did_not_work_out_is_no_amount() -> None:
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream)
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, CELLS)
    sheet.write_row(1, 0, ("C1", "L1", "RENT"))
    sheet.write_formula(1, 3, "=1000+500")
    sheet.write_row(1, 4, ("2026-10-01", "x"))
    book.close()
    assert "formulas without a value that was worked out" in refused(stream.getvalue(), "charges.xlsx")


def test_a_text_that_looks_like_a_formula_stays_the_text_it_is() -> None:
    rows = [ROW.replace("C1", f"C{n}") + text for n, text in enumerate(("=1+1", "@SUM(A1)", "+49 30", "-5"))]
    assert read("\n".join([HEADER, *rows])).frame["reason"].to_list() == ["=1+1", "@SUM(A1)", "+49 30", "-5"]
    book = workbook()
    book.active["F2"].value = "=1+1"
    book.active["F2"].data_type = "s"
    assert read(saved(book), "charges.xlsx").frame["reason"].to_list() == ["=1+1"]


def test_merged_cells_refuse_the_file_and_are_named() -> None:
    book = workbook(("C1", "L1", "RENT", 1500, "2026-10-01", "x"), ("C2", None, "RENT", 20, "2026-10-01", "x"))
    book.active.merge_cells("B2:B3")
    message = refused(saved(book), "charges.xlsx")
    assert "merged cells B2:B3" in message and "Unmerge them" in message


def test_a_hidden_sheet_is_not_read_and_what_was_not_read_is_named() -> None:
    book = workbook()
    hidden = book.create_sheet("Old", 0)
    hidden.append(CELLS)
    hidden.append(("OLD", "L1", "RENT", 1, "2026-10-01", "x"))
    hidden.sheet_state = "hidden"
    book.create_sheet("Notes").append(("text",))
    found = read(saved(book), "charges.xlsx")
    assert found.frame["charge_id"].to_list() == ["C1"]
    assert found.message == "Only the sheet Sheet was read; not read: Old, Notes."


def test_hidden_rows_are_rows() -> None:
    book = workbook(("C1", "L1", "RENT", 1, "2026-10-01", "x"), ("C2", "L1", "RENT", 2, "2026-10-01", "x"))
    book.active.row_dimensions[3].hidden = True
    assert read(saved(book), "charges.xlsx").frame["charge_id"].to_list() == ["C1", "C2"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'<row r="3"', b'<row r="2"', "the cell A3 in another row"),
        (b'r="3"', b'r="99999999"', "a row 99,999,999; expected at most 1,048,576 rows"),
        (b'r="C3"', b'r="B3"', "the cell B3 in another row, or twice"),
        (b'r="3"><c r="A3"', b'r="1"><c r="A1"', "in another row, or twice"),
        (b"</sheetData>", b"", "damaged XLSX"),
    ],
    ids=["a cell of another row", "a row beyond the sheet", "a cell twice", "a row twice", "XML that breaks off"],
)
def test_a_sheet_whose_cells_lie_elsewhere_is_refused(old: bytes, new: bytes, words: str) -> None:
    data = saved(workbook(("C1", "L1", "RENT", 1, "2026-10-01", "x"), ("C2", "L1", "RENT", 2, "2026-10-01", "x")))
    changed = sheet_of(data).replace(old, new)
    assert changed != sheet_of(data)
    assert words in refused(repacked(data, {SHEET: changed}), "charges.xlsx")


# --------------------------------------------------------------------------------------------------- names and folders


def test_a_link_is_refused_and_what_it_points_to_is_not_read(
    door: Door, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "charges.csv").write_text(f"{HEADER}\n{ROW}secret\n", encoding="utf-8")
    door.folder.mkdir()
    (door.folder / "charges-link.csv").symlink_to(outside / "charges.csv")
    (door.folder / "payments-gone.csv").symlink_to(outside / "nothing.csv")
    (door.folder / "yardi").symlink_to(outside, target_is_directory=True)
    report = door.land({"charges": [charge("C9")]})
    assert door.ids("charges", "charge_id") == ["C9"]
    refused_files = {note.file: note.message for note in report.refused}
    assert {"charges-link.csv", "payments-gone.csv", "yardi"} <= set(refused_files)
    assert all("a link to" in message and "Copy the file" in message for message in refused_files.values())
    assert not report.is_complete


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"charges-\n-all is well.csv", r"charges-\n-all is well.csv"),
        (b"charges-\x1b[2J.csv", r"charges-\x1b[2J.csv"),
        (b"charges-Jos\xe9.csv", r"charges-Jos\udce9.csv"),
    ],
    ids=["a line end", "a terminal's escape", "bytes that are no UTF-8"],
)
def test_a_name_that_cannot_be_shown_is_refused_and_written_out(door: Door, name: bytes, shown: str) -> None:
    door.folder.mkdir()
    target = os.path.join(os.fsencode(door.folder), name)
    with open(target, "w", encoding="utf-8") as stream:
        stream.write(f"{HEADER}\n{ROW}x\n")
    report = door.land()
    (note,) = report.refused
    assert note.file == shown and note.message.startswith(shown)
    assert "characters that cannot be shown" in note.message and note.message.count("\n") == 1
    assert door.ids("charges", "charge_id") == []


@pytest.mark.parametrize(
    "name",
    ["charges-..%2f..%2fetc.csv", "charges-..\\..\\x.csv", "charges-<script>alert(1)<_script>.csv",
     "charges-' OR 1=1.csv", "charges-\u202ecsv.csv", "charges-" + "x" * 240 + ".csv"],
    ids=["dots and slashes", "backslashes", "markup", "SQL", "right to left", "long"],
)  # fmt: skip
def test_a_strange_name_is_a_name_and_reaches_nothing_else(door: Door, name: str) -> None:
    door.folder.mkdir()
    (door.folder / name).write_text(f"{HEADER}\n{ROW}x\n", encoding="utf-8")
    before = {path for path in door.path.rglob("*") if door.files not in path.parents}
    report = door.land()
    if "\u202e" in name:
        assert "characters that cannot be shown" in report.refused[0].message
    else:
        assert door.rows("SELECT file FROM landing.charges") == [(name,)]
    assert {path for path in door.path.rglob("*") if door.files not in path.parents} == before
    assert all(len(path.name) == 64 for path in door.files.iterdir())


def test_markup_in_a_value_stays_text_and_in_a_message_it_is_cut_short(door: Door) -> None:
    markup = '<img src=x onerror="alert(1)">'
    door.land({"charges": [charge("C1", posted_by=markup), charge("C2", amount=markup * 9)]})
    assert door.rows("SELECT posted_by FROM landing.charges") == [(markup,)]
    ((detail,),) = door.rows("SELECT detail FROM landing.quarantine WHERE status = 'open'")
    assert markup in detail and len(detail) < 400


def test_a_file_that_turns_out_broken_in_a_later_part_leaves_no_row_behind(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestration.landing.read_csv._BLOCK_BYTES", 5_000)
    door.folder.mkdir()
    rows = "".join(f"{ROW.replace('C1', f'C{n}')}x\n" for n in range(2_000))
    (door.folder / "charges.csv").write_text(f"{HEADER}\n{rows}C9999,L1,RENT\n", encoding="utf-8")
    report = door.land()
    assert "row 2002" in report.refused[0].message and "3 fields" in report.refused[0].message
    assert door.rows("SELECT count(*) FROM landing.landed_charges") == [(0,)]
    assert door.rows("SELECT rows_landed FROM landing.batches WHERE status = 'refused'") == [(0,)]
    assert door.untied() == []


# -------------------------------------------------------------------------------------------------------------- memory


def test_a_run_that_needs_more_memory_than_it_may_use_loads_nothing_and_says_what_to_do(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIEOUT_DOOR_MEMORY", "1MB")
    with pytest.raises(TieoutError, match="more memory than the 1MB") as told:
        door.land({"charges": [charge(f"C{n}") for n in range(500)]})
    assert "TIEOUT_DOOR_MEMORY" in told.value.what_to_do
    monkeypatch.delenv("TIEOUT_DOOR_MEMORY")
    assert door.ids("charges", "charge_id") == []
    door.land()
    assert len(door.ids("charges", "charge_id")) == 500


@pytest.mark.parametrize("given", ["lots", "0MB", "1GB'; ATTACH 'x"])
def test_a_size_of_memory_that_is_none_is_refused(door: Door, given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIEOUT_DOOR_MEMORY", given)
    with pytest.raises(UsageError, match="expected a size such as 500MB"):
        door.land({"charges": [charge("C1")]})
