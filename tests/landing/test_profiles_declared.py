"""What is wrong with a profile is said with the profile, the key, what was found and what was expected."""

from __future__ import annotations

import pytest

from orchestration.profiles.declare import Profile
from orchestration.profiles.keys import ProfileError
from orchestration.profiles.parse import parse_profile

SOUND = """profile: bank
describes: Receipts.
files: ["r*.csv"]
formats: {date: YYYY-MM-DD}
skip:
  - {rule: totals, when: {column: Ref, is: Total}}
tables:
  - table: payments
    when: {column: Amount, amount: positive}
    columns:
      payment_id: Ref
      amount: Amount
      received_on: Date
checks:
  - {check: adds up, total: Amount, on_rows: totals}
"""


def parse(text: str) -> Profile:
    return parse_profile("bank.yaml", text)


def test_a_sound_profile_is_read_and_every_value_stays_the_text_it_is() -> None:
    profile = parse(
        SOUND.replace("payment_id: Ref", "payment_id: Ref\n      lease_id: {column: L, words: {007: '010'}}")
    )
    assert profile.outputs[0].columns["lease_id"].words == {"007": "010"}
    assert profile.own_columns() == ("ref", "l", "amount", "date")


def test_capitals_and_blanks_of_a_header_do_not_matter() -> None:
    assert parse(SOUND.replace("Ref\n", '"  REF  No "\n')).outputs[0].columns["payment_id"].column == "ref no"


@pytest.mark.parametrize(
    ("old", "new", "key", "found", "expected"),
    [
        ("profile: bank", "profile: My Bank", "profile", "'My Bank'", "lower case letters"),
        ("profile: bank\n", "", "profile", "nothing", "the profile's name"),
        ("files:", "file:", "file", "an unknown key", "one of profile, describes, files"),
        ('files: ["r*.csv"]', "files: []", "files", "[]", "one or several file names"),
        ("YYYY-MM-DD", "YYYY-DD-AM", "formats.date", "'YYYY-DD-AM'", "a format such as YYYY-MM-DD"),
        ("YYYY-MM-DD}", "YYYY-MM-DD, decimal: ','}", "formats.decimal", "','", "one of point, comma"),
        ("YYYY-MM-DD}", "YYYY-MM-DD, thousands: point}", "formats.thousands", "'point'", "another mark"),
        ("YYYY-MM-DD}", "YYYY-MM-DD, negative: [red]}", "formats.negative", "'red'", "minus, parentheses"),
        ("YYYY-MM-DD}", "YYYY-MM-DD, decimals: '1'}", "formats.decimals", "'1'", "a whole number from 2 to 8"),
        ("table: payments", "table: payment", "tables[1].table", "'payment'", "a table of the contract: "),
        ("received_on: Date", "received: Date", "tables[1].columns.received", "no column of payments", "received_on"),
        ("      received_on: Date\n", "", "tables[1].columns.received_on", "nothing", "it is required"),
        ("amount: Amount", "amount: {column: Amount, sign: minus}", "tables[1].columns.amount.sign", "'minus'",
         "as written, inverted, absolute"),
        ("payment_id: Ref", "payment_id: {column: Ref, sign: inverted}", "tables[1].columns.payment_id.sign",
         "a key that does not belong here", "one of column, otherwise, words"),
        ("payment_id: Ref", "payment_id: {column: Ref, constant: x}", "tables[1].columns.payment_id",
         "column and constant", "one of column, constant, text, id_of, plus with minus"),
        ("payment_id: Ref", "payment_id: {text: fixed}", "tables[1].columns.payment_id.text", "'fixed'", "in braces"),
        ("payment_id: Ref", "payment_id: {plus: A, minus: B}", "tables[1].columns.payment_id",
         "plus and minus for a column of type id", "an amount"),
        ("received_on: Date", "received_on: {column: Date, day: last}", "tables[1].columns.received_on.day", "'last'",
         "the format says the day"),
        ("payment_id: Ref", "payment_id: Ref\n      channel: {column: C, words: {Bank: wire}}",
         "tables[1].columns.channel.words.Bank", "'wire'", "one of portal, autopay"),
        ("payment_id: Ref", "payment_id: {column: Ref, otherwise: keep}", "tables[1].columns.payment_id.otherwise",
         "'keep'", "a word that `words` lacks"),
        ("amount: positive", "amount: big", "tables[1].when.amount", "'big'", "positive, negative, zero, not zero"),
        ("amount: positive", "amount: zero, is: x", "tables[1].when", "2 tests", "one of is, matches, filled, amount"),
        ("is: Total", "matches: '('", "skip[1].when.matches", "'('", "a regular expression"),
        ("is: Total", "matches: '(?=T)'", "skip[1].when.matches", "'(?=T)'", "a regular expression"),
        ("rule: totals", "rule: blank rows", "skip[1].rule", "'blank rows'", "another name"),
        ("on_rows: totals", "on_rows: sums", "checks[1].on_rows", "'sums'", "one of totals"),
        ("total: Amount, on_rows: totals", "left: A", "checks[1].right", "nothing", "columns"),
        ("skip:", "captures:\n  - {name: X, from: title lines, matches: 'abc'}\nskip:", "captures[1].matches", "'abc'",
         "one group"),
        ("skip:", "join:\n  - {as: other, files: o.csv, on: {}}\nskip:", "join[1].on", "{}", "column of this file"),
        ("skip:", "header: {names: [Ref, Date]}\nskip:", "header", "no such column", "the column amount"),
        ("skip:", "reads: {encodings: [ebcdic]}\nskip:", "reads.encodings", "'ebcdic'", "encodings of utf-8"),
        ("received_on: Date", 'received_on: "?"', "tables[1].columns.received_on", "a question that is still open",
         "the answer"),
        ("payment_id: Ref", "payment_id: Ref\n      payment_id: Id", "the file", "the key 'payment_id' stands twice",
         "YAML"),
        (SOUND, "- a list", "the file", "no settings", "keys such as"),
        (SOUND, "a: [", "the file", "not YAML", "YAML"),
    ],
)  # fmt: skip
def test_a_wrong_key_is_named(old: str, new: str, key: str, found: str, expected: str) -> None:
    text = SOUND.replace(old, new, 1)
    assert text != SOUND
    with pytest.raises(ProfileError) as error:
        parse(text)
    message = str(error.value)
    assert message.startswith(f"bank.yaml: {key}: found "), message
    assert found in message and expected in message, message
    assert "nothing was loaded" in message


def test_a_date_needs_a_format() -> None:
    with pytest.raises(ProfileError, match=r"received_on: found a date without a format; expected `date` here"):
        parse(SOUND.replace("formats: {date: YYYY-MM-DD}\n", ""))
