"""The journal that was stored, compared row for row with what the simple twin makes of the same accounts.

Two programs written apart seldom make the same mistake. The twin is too slow for every account of every build, so it is
given some of them; for those, a row more, a row less, a cent, a day or a rule of difference is named.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from dbt_project.kernels.allocation.outputs import OUTPUT_SCHEMA
from dbt_project.kernels.allocation.reference import allocate_reference

#: Numbers of the whole journal: of some accounts alone they are other numbers, so rows are counted within the account.
_NUMBERS = ("journal_seq", "reverses_seq")
_SAID = [name for name in OUTPUT_SCHEMA.names if name not in _NUMBERS]
DIFFERENCES_SCHEMA = pa.schema(
    [
        pa.field("account_key", pa.int64(), nullable=False),
        pa.field("row_no", pa.int64(), nullable=False),
        pa.field("stored_row", pa.string()),
        pa.field("twin_row", pa.string()),
    ]
)

Lines = dict[int, list[tuple[Any, ...]]]  # the rows of an account, in the order of the journal


def journal_differences(events: pa.Table, rules: pa.Table, journal: pa.Table) -> pa.Table:
    """The first row in which the journal and the twin differ, for every account in which they do.

    Args:
        events: every event of the accounts to compare, columns of EVENTS_SCHEMA.
        rules: columns of RULES_SCHEMA.
        journal: the stored rows of those accounts, columns of OUTPUT_SCHEMA, in any order.

    Returns:
        Columns of DIFFERENCES_SCHEMA: the row's place within the account, counted from 1, and what either side says
        there; null where a side has no such row. Empty where both agree.

    Raises:
        RuleError, InputError: as `allocate_reference`.
    """
    stored, twin = _lines(journal), _lines(allocate_reference(events, rules))
    found: list[dict[str, Any]] = []
    for account in sorted(stored.keys() | twin.keys()):
        ours, theirs = stored.get(account, []), twin.get(account, [])
        for place in range(max(len(ours), len(theirs))):
            one = ours[place] if place < len(ours) else None
            other = theirs[place] if place < len(theirs) else None
            if one != other:
                found.append(
                    {"account_key": account, "row_no": place + 1, "stored_row": _text(one), "twin_row": _text(other)}
                )
                break
    return pa.Table.from_pylist(found, schema=DIFFERENCES_SCHEMA)


def _lines(journal: pa.Table) -> Lines:
    table = journal.select(OUTPUT_SCHEMA.names).cast(OUTPUT_SCHEMA).sort_by("journal_seq")
    columns = {name: table[name].to_pylist() for name in OUTPUT_SCHEMA.names}
    places: dict[int, int] = {}
    lines: Lines = {}
    for at, number in enumerate(columns["journal_seq"]):
        rows = lines.setdefault(columns["account_key"][at], [])
        rows.append((*(columns[name][at] for name in _SAID), places.get(columns["reverses_seq"][at])))
        places[number] = len(rows)
    return lines


def _text(row: tuple[Any, ...] | None) -> str | None:
    if row is None:
        return None
    said = zip((*_SAID, "reverses_row"), row, strict=True)
    return ", ".join(f"{name} {value}" for name, value in said if value is not None and name != "account_key")
