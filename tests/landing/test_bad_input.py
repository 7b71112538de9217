"""The table of bad input: what somebody's export gets wrong, and what the door answers.

Each line is a fault: its name, the rows (or the bytes) that have it, the reason for which the wrong row waits, and the
words that the message must hold. Every fault arrives in a file of its own, between two sound rows, and again together
with all others in one file a table. Each time the sound rows load, only the wrong one waits or its file is refused, and
rows and cents landed are loaded + duplicate + quarantined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import pytest

from orchestration.landing import REASONS
from tests.landing.portfolio import CODE, Door, charge, payment, portfolio, returned, write_csv

LOADS = "loads"


@dataclass(frozen=True)
class Fault:
    """A row that is wrong. `first` rows are sound and stand before it in the same file; `reason` may be `loads`."""

    name: str
    table: str
    row: dict[str, str]
    reason: str
    words: tuple[str, ...]
    first: tuple[dict[str, str], ...] = ()


def amount(name: str, text: str, *words: str) -> Fault:
    return Fault(name, "charges", charge("BAD", text), "not_an_amount", (f"amount: found '{text}'", *words))


def day(name: str, text: str, *words: str) -> Fault:
    return Fault(name, "charges", charge("BAD", posted_on=text), "not_a_date", (f"posted_on: found '{text}'", *words))


def reversal(name: str, of: str, money: str, reason: str, *words: str, **more: str) -> Fault:
    """A reversal `BAD` of the charge `OLD` of 1500.00, of its reversal `UNDONE`, or of nothing."""
    first = (charge("OLD"), charge("UNDONE", "-1500.00", posted_on="2026-10-04", reverses_charge_id="OLD"))
    row = charge("BAD", money, **({"posted_on": "2026-10-05", "reverses_charge_id": of} | more))
    return Fault(name, "charges", row, reason, words, first[: {"OLD": 1, "UNDONE": 2}.get(of, 0)])


PROPERTY = {
    "property_id": "BAD",
    "entity_id": "E1",
    "name": "X",
    "jurisdiction": "US-CO",
    "time_zone": "America/Denver",
}
LEASE = {"lease_id": "BAD", "property_id": "P1", "unit_id": "U1", "start_on": "2026-01-01"}
PET = {"charge_code": "BAD", "name": "Pet", "category": "pet", **CODE}

ROWS = [
    # amounts
    amount("a decimal comma", "1500,50", "decimal comma", "1.234 could be either number"),
    amount("a decimal comma after thousands", "1.500,50", "decimal comma"),
    amount("thousands separators", "1,500.00", "thousands separators", "such as 1234.50"),
    amount("a currency sign before", "$1500.00", "currency sign"),
    amount("a currency sign behind", "1500.00 €", "currency sign"),
    amount("parentheses for a negative", "(1500.00)", "parentheses for a negative", "-20.00"),
    amount("three decimals", "1500.005", "more than two decimals"),
    amount("not a number", "NaN", "NaN"),
    amount("more digits than can be kept", "12345678901.00", "more than ten digits"),
    Fault("an amount beyond the usual range", "charges", charge("BAD", "150000000.00"), "amount_out_of_range",
          ("amount: found 150000000.00", "at most 99,999,999.99", "slipped decimal point", "release the row by name")),
    Fault("a payment below nought", "payments", payment("BAD", "-5.00"), "amount_not_positive", ("found -5.00",)),
    # days and moments
    day("an ambiguous date", "04/05/2026", "day and month are ambiguous", "YYYY-MM-DD"),
    day("an Excel serial date", "46296", "Excel serial number"),
    day("the year 0026", "0026-10-01", "year out of range", "typing error"),
    day("a day that does not exist", "2026-02-30", "does not exist"),
    Fault("a time zone that does not exist", "properties", PROPERTY | {"time_zone": "America/Dever"},
          "unknown_time_zone", ("time_zone: found 'America/Dever'", "an IANA name such as America/Denver")),
    # ids
    Fault("an id used twice with other content", "charges", charge("BAD", "1600.00"), "key_used_twice",
          ("default:", "two rows of one run with the same key and other content"), (charge("BAD", "1500.00"),)),
    Fault("an id used before with another amount", "charges", charge("KNOWN", "1600.00"), "changed_fact",
          ("amount: found 1600.00; expected 1500.00 as first accepted", "Undo the first row by a reversal")),
    # what a row undoes or names
    reversal("a reversal of nothing", "NOTHING", "-1500.00", "waiting_for_named_row",
             "reverses_charge_id: found 'NOTHING", "enters by itself"),
    reversal("a reversal of a reversal", "UNDONE", "1500.00", "reversal_of_reversal", "UNDONE", "which reverses OLD"),
    reversal("a reversal of more than there was", "OLD", "-1500.01", "reversal_not_exact", "found -1500.01 for OLD",
             "of 1500.00"),
    reversal("a reversal before what it reverses", "OLD", "-1500.00", LOADS, posted_on="2026-09-01"),
    Fault("a return of an unknown payment", "payment_reversals", returned("BAD", "NOTHING", "5.00"), "unknown_payment",
          ("payment_id: found 'NOTHING", "Land the payment")),
    Fault("a return of more than was paid", "payment_reversals", returned("BAD", "PAID", "1000.01"),
          "returned_more_than_paid", ("found 1000.01", "of a payment of 1000.00")),
    Fault("a payment to an unknown lease", "payments", payment("BAD", lease_id="L404"), LOADS, ()),
    Fault("a charge to an unknown lease", "charges", charge("BAD", lease_id="L404"), "unknown_reference",
          ("lease_id: found 'L404'", "an accepted row of leases")),
    Fault("a lease without a property", "leases", LEASE | {"property_id": "P404"}, "unknown_reference",
          ("property_id: found 'P404'", "an accepted row of properties")),
    Fault("a code that nobody classified", "charges", charge("BAD", charge_code="MYSTERY"), "unclassified_code",
          ("charge_code: found 'MYSTERY'", "Classify the code in charge_codes")),
    Fault("a code not classified on every axis", "charge_codes", PET | {"counts_as_rent": ""}, "missing_required",
          ("counts_as_rent: found nothing",)),
    Fault("a code mapped to an account that is not there", "gl_mappings",
          {"chart_id": "main", "charge_code": "LATE", "account": "BAD"}, "unknown_reference",
          ("account: found 'BAD'", "an accepted row of gl_accounts")),
    Fault("effective dates that overlap", "charge_codes", PET | {"valid_from": "2026-07-01"}, "overlapping_dates",
          ("found 2026-07-01 to open, while another is in force 2026-01-01 to open", "End the earlier period"),
          (PET | {"valid_from": "2026-01-01"},)),
    # text that is data
    Fault("text that a spreadsheet would run", "charges", charge("BAD", reason='=HYPERLINK("x","y")'), LOADS, ()),
    Fault("markup in a name", "persons", {"person_id": "BAD", "name": "<b>Ann</b> & Co"}, LOADS, ()),
]  # fmt: skip

HEADER = "charge_id,lease_id,charge_code,amount,posted_on,posted_by\n"
GOOD = "C1,L1,RENT,1500.00,2026-10-01,Ann\n"
#: Faults of a whole file: its name, its bytes, whether it is `refused` or loads, and the words of its message.
FILES: list[tuple[str, bytes, str, tuple[str, ...]]] = [
    ("a byte order mark", ("\ufeff" + HEADER + GOOD).encode(), LOADS, ()),
    ("UTF-16", (HEADER + GOOD).encode("utf-16"), "refused", ("UTF-16 text; expected UTF-8", "CSV UTF-8")),
    ("a name in CP1252", (HEADER + GOOD.replace("Ann", "José")).encode("cp1252"), "refused",
     ("row 2, column posted_by", "byte E9", "in Windows-1252 it would be 'é'", "Save it as UTF-8")),
    ("ragged rows", (HEADER + GOOD + "C2,L1,RENT\n").encode(), "refused",
     ("row 3, column charge_code", "found 3 fields; expected 6 fields", "Nothing of this file was loaded")),
    ("a header twice", b"charge_id,lease_id,charge_code,amount,posted_on,amount\nC1,L1,RENT,1,2026-10-01,2\n",
     "refused", ("row 1, column amount", "as column 4 and 6", "which one holds the value cannot be guessed")),
    ("an empty file", b"", "refused", ("found an empty file; expected a header and rows",)),
    ("headers only", HEADER.encode(), LOADS, ("The file has a header and no rows.",)),
]  # fmt: skip

KEYS = {
    "charges": "charge_id",
    "payments": "payment_id",
    "payment_reversals": "reversal_id",
    "leases": "lease_id",
    "properties": "property_id",
    "charge_codes": "charge_code",
    "persons": "person_id",
    "gl_mappings": "charge_code",
}
SOUND = {
    "charges": charge("", "10.01"),
    "payments": payment("", "20.02"),
    "payment_reversals": returned("", "PAID2", "0.03"),
    "leases": LEASE,
    "properties": PROPERTY,
    "charge_codes": PET,
    "persons": {"name": "Ann"},
    "gl_mappings": {"chart_id": "main", "account": "4000"},
}


def renamed(row: dict[str, str], number: int) -> dict[str, str]:
    """The row with ids of its own: BAD of fault 7 is BAD7, and so is what it names."""
    mine = {"BAD", "OLD", "UNDONE"}
    return {
        column: f"{value}{number}" if value in mine and column != "account" else value for column, value in row.items()
    }


def rows_of(number: int, fault: Fault) -> list[dict[str, str]]:
    """The rows of a fault's file: a sound row, those it needs, the wrong one, another sound row."""
    sound = [SOUND[fault.table] | {KEYS[fault.table]: f"SOUND{number}{end}"} for end in "ab"]
    inner = [renamed(row, number) for row in (*fault.first, fault.row)]
    return [sound[0], *inner, sound[1]]


def bad_key(number: int, fault: Fault) -> str:
    return renamed(fault.row, number)[KEYS[fault.table]]


def known() -> dict[str, list[dict[str, str]]]:
    """What is in the books before the faults arrive. The codes of the sound mappings are classified."""
    tables = portfolio() | {"charges": [charge("KNOWN")], "payments": [payment("PAID"), payment("PAID2")]}
    mapped = [n for n, fault in enumerate(ROWS) if fault.table == "gl_mappings"]
    codes = [PET | {"charge_code": f"SOUND{n}{end}", "valid_from": ""} for n in mapped for end in "ab"]
    return tables | {"charge_codes": [*tables["charge_codes"], *codes]}


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """Every fault in a file of its own, all in one run."""
    door = Door(tmp_path_factory.mktemp("apart"))
    door.land(known())
    for number, fault in enumerate(ROWS):
        write_csv(door.folder / f"{fault.table}-fault{number}.csv", rows_of(number, fault))
    for number, (_, data, _, _) in enumerate(FILES):
        (door.folder / f"charges-file{number}.csv").write_bytes(data.replace(b"C1,", f"F{number},".encode()))
    door.land()
    yield door


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """All faults of a table in one file, the last ones first."""
    door = Door(tmp_path_factory.mktemp("together"))
    door.land(known())
    tables: dict[str, list[dict[str, str]]] = {}
    for number, fault in reversed(list(enumerate(ROWS))):
        tables.setdefault(fault.table, []).extend(rows_of(number, fault))
    door.land(tables)
    yield door


def waiting(door: Door, fault: Fault, number: int, file: str) -> list[tuple[str, str]]:
    return door.rows(
        "SELECT reason, detail FROM landing.quarantine WHERE table_name = ? AND file = ? AND contains(raw, ?)"
        " AND status = 'open'",
        [fault.table, file, f'"{KEYS[fault.table]}":"{bad_key(number, fault)}"'],
    )


def answered(found: Sequence[tuple[str, str]], fault: Fault) -> None:
    """The row waits, once, for its reason, and the message says what was found, expected and to be done."""
    if fault.reason == LOADS:
        assert found == []
        return
    ((reason, detail),) = found
    assert reason == fault.reason
    for words in (*fault.words, REASONS[reason].what_to_do):
        assert words in detail, detail


numbered = pytest.mark.parametrize("number", range(len(ROWS)), ids=[fault.name for fault in ROWS])


@numbered
def test_a_fault_in_a_file_of_its_own(apart: Door, number: int) -> None:
    fault = ROWS[number]
    file = f"{fault.table}-fault{number}.csv"
    answered(waiting(apart, fault, number, file), fault)
    rows = rows_of(number, fault)
    held = 0 if fault.reason == LOADS else 1
    ((landed, loaded, duplicate, quarantined),) = apart.rows(
        "SELECT b.rows_landed, count(*) FILTER (verdict = 'loaded'), count(*) FILTER (verdict = 'duplicate'),"
        " count(*) FILTER (verdict = 'quarantined') FROM landing.batches b JOIN landing.verdicts v USING (batch_id)"
        " WHERE b.file = ? GROUP BY ALL",
        [file],
    )
    assert (landed, loaded, duplicate, quarantined) == (len(rows), len(rows) - held, 0, held)


@numbered
def test_the_fault_among_all_others_in_one_file(together: Door, number: int) -> None:
    fault = ROWS[number]
    answered(waiting(together, fault, number, f"{fault.table}-run1.csv"), fault)


@pytest.mark.parametrize("number", range(len(FILES)), ids=[name for name, *_ in FILES])
def test_a_fault_of_a_whole_file(apart: Door, number: int) -> None:
    _, _, outcome, words = FILES[number]
    file = f"charges-file{number}.csv"
    ((status, message, rows),) = apart.rows(
        "SELECT status, coalesce(message, ''), rows_landed FROM landing.batches WHERE file = ?", [file]
    )
    assert (status == "refused") == (outcome == "refused")
    for part in words:
        assert part in message
    assert apart.rows("SELECT count(*) FROM landing.charges WHERE file = ?", [file]) == [(rows,)]
    assert (file in {note.file for note in apart.reports[-1].refused}) == (outcome == "refused")


@pytest.mark.parametrize("how", ["apart", "together"])
def test_sound_rows_load_and_rows_and_cents_tie(how: str, request: pytest.FixtureRequest) -> None:
    door: Door = request.getfixturevalue(how)
    assert door.untied() == []
    in_books = {table: set(door.ids(table, key)) for table, key in KEYS.items()}
    for number, fault in enumerate(ROWS):
        key, accepted = KEYS[fault.table], in_books[fault.table]
        others = [row[key] for row in rows_of(number, fault) if row != renamed(fault.row, number)]
        assert set(others) <= accepted, fault.name
        if fault.row[key] != "KNOWN" and bad_key(number, fault) not in others:
            assert (bad_key(number, fault) in accepted) == (fault.reason == LOADS), fault.name


def test_the_cents_of_every_outcome_are_the_same_however_the_rows_arrive(apart: Door, together: Door) -> None:
    """Loaded and quarantined by table, in rows and cents, and what is held sums to what was written in the files."""

    def sums(door: Door) -> dict[tuple[str, str], tuple[int, Decimal]]:
        found = door.rows(
            "SELECT b.table_name, o.verdict, sum(o.rows), sum(o.amount) FROM landing.batch_outcomes o"
            " JOIN landing.batches b USING (batch_id) WHERE b.file LIKE '%-fault%' OR b.file LIKE '%-run1.csv'"
            " GROUP BY ALL"
        )
        return {(table, verdict): (int(rows), money) for table, verdict, rows, money in found}

    assert sums(apart) == sums(together)
    held = sums(apart)["charges", "quarantined"]
    readable = [f.row["amount"] for f in ROWS if f.table == "charges" and f.reason not in (LOADS, "not_an_amount")]
    assert held[1] == sum(map(Decimal, readable), Decimal(0))
    assert held[0] == sum(1 for f in ROWS if f.table == "charges" and f.reason != LOADS)


def test_a_payment_to_an_unknown_lease_is_in_suspense_with_its_claim(apart: Door) -> None:
    assert apart.rows("SELECT lease_key, claimed_lease_id, amount FROM landing.payments WHERE lease_key IS NULL") == [
        (None, "L404", "1000.00")
    ]
