"""The closed list of reasons for which a row waits in quarantine, each in words a controller can act on.

A row's `detail` repeats the reason with the column and the value found. `releasable` says whether a named person may
let the row in as it is; every other row can only be set aside by a person, or replaced by a corrected row with the same
key. `waits` says that the row is expected to enter by itself once something else arrives.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """Why a row is held: what was found, what was expected, what to do."""

    code: str
    found: str
    expected: str
    what_to_do: str
    releasable: bool = False
    waits: bool = False


_LAND_AGAIN = "Correct it in the source and land the row again with the same key."

_ALL = (
    Reason("missing_required", "a required value is empty", "a value in every required column", _LAND_AGAIN),
    Reason(
        "not_an_amount",
        "an amount that is not a plain decimal",
        "digits with a point and at most two decimals, such as 1234.50 or -20.00",
        "Export amounts as plain decimals and land the row again. Nothing is guessed: 1.234 could be either number.",
    ),
    Reason("not_a_number", "a rate or a whole number that cannot be read", "digits, such as 12 or 0.05", _LAND_AGAIN),
    Reason(
        "not_a_date",
        "a date that cannot be read without guessing",
        "YYYY-MM-DD between 1900 and 2199",
        "Export dates as YYYY-MM-DD and land the row again.",
    ),
    Reason(
        "not_a_timestamp",
        "a timestamp that cannot be read",
        "ISO, such as 2026-10-05T09:30:00-06:00; without an offset it is in the property's time zone",
        "Export timestamps in ISO form and land the row again.",
    ),
    Reason("not_a_period", "a month that cannot be read", "YYYY-MM, such as 2026-10", _LAND_AGAIN),
    Reason("not_a_boolean", "a value that is neither yes nor no", "true or false", _LAND_AGAIN),
    Reason("not_in_list", "a value outside the list of the column", "one of the listed values", _LAND_AGAIN),
    Reason("not_json", "text that is not JSON", "valid JSON", _LAND_AGAIN),
    Reason("bad_format", "a value in another form than the column's", "the form shown for the column", _LAND_AGAIN),
    Reason(
        "bad_source_system",
        "a source system name with other characters",
        "letters, digits, point, dash and underscore, 60 at most",
        "Rename the source system in the file, or leave the column out and use the subfolder's name.",
    ),
    Reason(
        "bad_rule_steps",
        "steps of a rule that cannot be followed",
        "an ordered list of steps with match, order, designated_only or hold",
        "Correct the steps and land the rule again.",
    ),
    Reason(
        "unknown_time_zone",
        "a time zone that does not exist",
        "an IANA name such as America/Denver",
        "Correct the property's time zone: days, and so late fees and months, depend on it.",
    ),
    Reason(
        "currency_not_two_decimals",
        "a currency that is unknown or has no two decimals",
        "an ISO 4217 code of a currency with two decimals, such as USD or CAD",
        "Only such currencies are kept to the cent here. Correct the code, or keep this entity elsewhere.",
    ),
    Reason(
        "amount_not_positive",
        "an amount that is zero or negative",
        "an amount greater than zero; the direction is told by the table and the kind",
        "Export the amount without a sign, or as the kind of row that undoes it.",
    ),
    Reason(
        "amount_out_of_range",
        "an amount beyond the usual range of the column",
        "an amount inside the range",
        "Check for a slipped decimal point. If it is right, release the row by name.",
        releasable=True,
    ),
    Reason("number_out_of_range", "a number outside the column's range", "a number inside the range", _LAND_AGAIN),
    Reason(
        "dates_out_of_order",
        "a range that ends before it begins",
        "an end that is not before the start; `valid_to` is the first day no longer in force",
        _LAND_AGAIN,
    ),
    Reason(
        "unknown_reference",
        "an id that is not known",
        "an id of a row that was accepted, in the same source system or in `default`",
        "Land the missing row. This row enters by itself with the next run.",
        waits=True,
    ),
    Reason(
        "unknown_payment",
        "a payment that is not known",
        "the id of an accepted payment",
        "Land the payment. This row enters by itself with the next run.",
        waits=True,
    ),
    Reason(
        "unclassified_code",
        "a charge code that is not classified on that day",
        "an accepted row of charge_codes, classified on every axis and in force on the day",
        "Classify the code in charge_codes. Its charges enter by themselves with the next run.",
        waits=True,
    ),
    Reason(
        "waiting_for_named_row",
        "a row that names another that is not accepted yet",
        "the row it names, accepted before or in the same run",
        "Land the named row, or see why it waits. This row enters by itself with the next run.",
        waits=True,
    ),
    Reason(
        "named_row_elsewhere",
        "a row that names one of another lease or ledger party",
        "a row of the same account: money crosses accounts only by a transfer",
        "Correct the id it names, or use a transfer.",
    ),
    Reason(
        "overlapping_dates",
        "a period that overlaps another of the same key",
        "periods that do not overlap; `valid_to` is the first day no longer in force",
        "End the earlier period, or correct this one. It enters by itself when they no longer overlap.",
        waits=True,
    ),
    Reason(
        "conflicting_rule",
        "a rule that says something else than another of equal rank",
        "one rule per source, scope, start and version",
        "Give the newer rule a later start or a higher version, or end the older one.",
    ),
    Reason(
        "changed_fact",
        "a row whose key was accepted before with another amount, lease, party, code, date, payer or named id",
        "the same facts: entries are never edited",
        "Undo the first row by a reversal and land a new row with a new id. The first row stays in force.",
    ),
    Reason(
        "key_used_twice",
        "two rows of one run with the same key and other content",
        "one row per key, or later rows with a later recorded_at",
        "Find out which one is right. The first in a fixed order stays; land the right one again if it is this.",
    ),
    Reason(
        "replaced_by_correction",
        "a row that waited while a corrected row with the same key arrived",
        "the corrected row",
        "Nothing: the corrected row took its place.",
    ),
    Reason(
        "reversal_of_reversal",
        "a reversal of a row that is itself a reversal",
        "a reversal of a first entry",
        "Post the entry anew instead of reversing its reversal.",
    ),
    Reason(
        "reversed_twice",
        "a second reversal of the same row",
        "one reversal per row",
        "Look at the first reversal. If this one is a new credit, post it without reverses_charge_id.",
    ),
    Reason(
        "reversal_not_exact",
        "a reversal that is larger than what it reverses, of the same sign, or, where no part may be reversed, smaller",
        "the exact negative of the whole row; for a charge, a smaller amount is a credit that names it",
        "Correct the amount or the id it names.",
    ),
    Reason(
        "returned_more_than_paid",
        "returns, chargebacks and refunds of a payment that exceed it",
        "at most the payment's amount in all",
        "Look at the returns already accepted for this payment.",
    ),
    Reason(
        "no_payee",
        "money for nobody: several entities, and neither a known lease nor an entity nor an arrangement says which",
        "a known lease, an entity_id, or a settlement_account with an arrangement in force when it was received",
        "Land its lease, or a collection arrangement of its settlement account in force that day, and the row enters by"
        " itself with the next run; or name the entity in entity_id and land the row again with the same key.",
        waits=True,
    ),
    Reason(
        "payment_not_in_suspense",
        "a match of a payment that has a lease",
        "a payment in suspense",
        "To move a payment, undo it with a `correction` and land a new payment with the old received_on.",
    ),
    Reason(
        "recorded_in_future",
        "a recorded_at later than the load",
        "a recorded_at that is past when the file is loaded",
        "Check the clock and the time zone of the source. The row enters by itself once that moment has passed.",
        waits=True,
    ),
    Reason(
        "not_in_joined_file",
        "a row that the file joined to it does not know",
        "a row of the joined file with its key",
        "Land the joined file with that row: the file is then read anew.",
    ),
    Reason(
        "debit_and_credit",
        "a row with both a debit and a credit, or with neither",
        "exactly one of the two columns filled",
        "Correct the row in the source and land the file again.",
    ),
    Reason(
        "unmapped_word",
        "a word that the profile of the file does not list",
        "a word under `words` in the profile",
        "Add the word to the profile and run again: the file is read anew when its profile changes.",
    ),
    Reason(
        "no_place_in_profile",
        "a row that fits none of the tables of its profile",
        "a table whose condition it fits, or a rule that sets it aside",
        "Complete the profile and run again: the file is read anew when its profile changes.",
    ),
    Reason(
        "two_places_in_profile",
        "a row that fits several tables of its profile where one is meant",
        "one table, or a profile that says `row_gives: several`",
        "Correct the row in the source, or the profile, and run again.",
    ),
    Reason(
        "profile_check_failed",
        "a row, or the rows of its group, that do not add up as the profile declares",
        "the two sides of the check equal",
        "Correct it in the source and land the file again.",
    ),
    Reason(
        "month_already_closed",
        "a close of a month that is closed here",
        "a close of an open month: closing a month closes all before it, for good",
        "Nothing: the month stays closed as first registered.",
    ),
    Reason(
        "month_not_over",
        "a close of a month that was not over",
        "a closed_at on or after the first day of the next month, and not later than the run",
        "Close the month when it is over.",
        waits=True,
    ),
    Reason(
        "waiting_for_complete_run",
        "a close in a run that refused a file",
        "a run that reads every file",
        "Correct or remove the refused file. The close is registered by the next run that refuses none.",
        waits=True,
    ),
)

REASONS: dict[str, Reason] = {reason.code: reason for reason in _ALL}


#: Reasons under which a corrected row with the same key would meet the accepted row again, and wait like this one.
_FIRST_ROW_STAYS = frozenset({"changed_fact", "month_already_closed"})
#: Reasons that are about a row that is not wrong by itself.
_NOTHING_TO_CORRECT = frozenset({"replaced_by_correction", "waiting_for_complete_run"})


def ways_out(codes: Iterable[str]) -> list[str]:
    """What can be done about rows that wait for these reasons, a line per way; only ways that lead out of one."""
    found = [REASONS[code] for code in sorted(codes) if code in REASONS]
    lines = []
    if any(reason.waits for reason in found):
        lines.append("Rows that wait for something else enter by themselves when it is landed.")
    if any(r.code not in _FIRST_ROW_STAYS | _NOTHING_TO_CORRECT for r in found):
        lines.append("A corrected row with the same key replaces one (`tieout quarantine export --out FILE.xlsx`).")
    if any(r.code == "changed_fact" for r in found):
        lines.append(
            "A changed fact is not replaced by a corrected row: the first row stays in force. Undo that by a reversal"
            " and land a new row with a new id; then set the changed row aside by name."
        )
    if any(r.code == "month_already_closed" for r in found):
        lines.append("A closed month stays closed as first registered; set the second close aside by name.")
    if any(r.releasable for r in found):
        names = ", ".join(r.code for r in found if r.releasable)
        lines.append(f"`tieout quarantine resolve ID --by NAME --reason TEXT` lets in as it is: {names}.")
    if any(not r.releasable for r in found):
        lines.append("`tieout quarantine resolve ID --by NAME --reason TEXT` sets a row aside for good.")
    return lines


def reasons_markdown() -> str:
    """The closed list as a Markdown table, for the documentation."""
    lines = ["| reason | found | expected | what to do |", "| --- | --- | --- | --- |"]
    lines += [f"| `{r.code}` | {r.found} | {r.expected} | {r.what_to_do} |" for r in _ALL]
    return "\n".join(lines) + "\n"
