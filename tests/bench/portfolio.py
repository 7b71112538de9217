"""A seeded portfolio of leases for measuring: events of the kernel, made with numpy, the same for the same seed.

About 3.2 charges and 1.3 payments a lease and month. Payers: full 60%, split 18%, late 10%, chronic partial 8%, three
months at once 4%. 2% of payments are returned, 70% of those are paid again; 1% of charges are reversed; 3% of months
carry a concession. Rent posts four days before its due date, utilities mid-month for the next 1st. Twelve
jurisdictions with four shapes of policy, each with a second version from the middle of the time on, and two laws.
`late` of the payments are keyed a day late, and `stragglers` of everything up to nine days late.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from dbt_project.kernels.allocation import EVENTS_SCHEMA, RULES_SCHEMA

SIZES = {"XS": (100, 24), "S": (1_000, 24), "M": (100_000, 36)}
FIRST = np.datetime64("2023-01-01", "D")

_RENT = '{"match": {"counts_as_rent": true}}'
_FEES = '{"match": {"category": ["late_fee", "nsf_fee"]}}'
POLICIES = (
    f'[{_RENT}, {{"match": "any"}}]',
    f'[{_RENT}, {{"match": {{"category": ["utility", "insurance", "damage"]}}}}, {_FEES}]',
    '[{"match": {"charge_code": ["RENT", "PET", "PARKING"]}}, {"match": "any"}]',
    '[{"match": "any"}]',
)
SECOND = (
    f'[{_RENT}, {{"match": "any", "order": "largest_open"}}]',
    f'[{_RENT}, {_FEES}, {{"match": "any"}}]',
    f'[{_RENT}, {{"match": "any"}}]',
    f'[{_RENT}, {{"match": "any"}}]',
)
LAWS = (
    f'[{_RENT}, {{"match": "any"}}]',
    f'[{_RENT}, {{"match": {{"category": "late_fee"}}, "designated_only": true}}, {{"match": "any"}}]',
)
SHAPE_OF_JURISDICTION = np.array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3])
LAW_OF_JURISDICTION = np.array([0, 0, 9, 9, 9, 9, 10, 9, 0, 0, 0, 0])  # rule keys; 0: no law
CODES = np.array(["RENT", "UTILITY", "PET", "PARKING", "INSURANCE", "DAMAGE", "LATE", "NSF", "CONCESSION"])
CATEGORIES = np.array(["rent", "utility", "pet", "parking", "insurance", "damage", "late_fee", "nsf_fee", "concession"])
IS_RENT = np.array([True, False, False, False, False, False, False, False, True])
RENT, UTILITY, PET, PARKING, INSURANCE, DAMAGE, LATE, NSF, CONCESSION = range(len(CODES))
TABLES = {"charge": 1, "credit": 2, "payment": 3, "charge_reversal": 4, "payment_return": 5}


def rules() -> pa.Table:
    steps = [*POLICIES, *SECOND, *LAWS]
    return pa.table(
        {
            "rule_key": pa.array(range(1, len(steps) + 1), pa.int32()),
            "steps": pa.array(steps),
            "yields_to_designation": pa.array([False] * len(steps)),
        },
        schema=RULES_SCHEMA,
    )


class _Rows:
    """Columns of events being gathered: account, kind, amount (minor), business day, due day, code, names (row)."""

    def __init__(self) -> None:
        self.parts: list[tuple[np.ndarray, ...]] = []
        self.kinds: list[str] = []
        self.count = 0

    def add(self, kind: str, account, amount, business, due=None, code=None, names=None, designated=None) -> np.ndarray:
        size = len(account)
        fill = lambda value, default: np.full(size, default) if value is None else value  # noqa: E731
        self.parts.append(
            (account, amount, business, fill(due, business), fill(code, -1), fill(names, -1), fill(designated, False))
        )
        self.kinds.append(kind)
        self.count += size
        return np.arange(self.count - size, self.count)


def portfolio(leases: int, months: int, seed: int = 20260101, late: float = 0.3, stragglers: float = 0.01) -> pa.Table:
    """Events as EVENTS_SCHEMA, in the order in which they were recorded."""
    rnd = np.random.default_rng(seed)
    rows = _Rows()
    lease = np.repeat(np.arange(1, leases + 1), months)
    month = np.tile(np.arange(months), leases)
    firsts = (np.datetime64("2023-01", "M") + np.arange(months + 1)).astype("datetime64[D]").astype(np.int64)
    due = firsts[month]
    rent = rnd.integers(800, 2600, leases)[lease - 1] * 100
    chance = rnd.random((8, len(lease)))
    owner = rnd.random((3, leases))[:, lease - 1]
    payer = np.searchsorted([0.60, 0.78, 0.88, 0.96], rnd.random(leases), side="right")[lease - 1]

    charged = np.zeros(len(lease), np.int64)
    charges: list[np.ndarray] = []

    def charge(where, code, amount, business, due_on) -> None:
        amount = np.broadcast_to(amount, len(lease))[where]
        charges.append(
            rows.add("charge", lease[where], amount, business[where], due_on[where], np.full(len(amount), code))
        )
        charged[where] += amount

    every = np.ones(len(lease), np.bool_)
    charge(every, RENT, rent, due - 4, due)
    charge(chance[0] < 0.88, UTILITY, rnd.integers(3_000, 12_000, len(lease)), due + 14, firsts[month + 1])
    charge(owner[0] < 0.25, PET, 3_500, due - 4, due)
    charge(owner[1] < 0.45, PARKING, 7_500, due - 4, due)
    charge(owner[2] < 0.45, INSURANCE, 1_250, due - 4, due)
    charge(chance[1] < 0.01, DAMAGE, rnd.integers(5_000, 60_000, len(lease)), due + 9, due + 39)
    charge(((payer == 2) & (chance[2] < 0.6)) | ((payer == 3) & (chance[2] < 0.4)), LATE, 5_000, due + 7, due + 7)

    given = chance[3] < 0.03
    rows.add("credit", lease[given], -(rent[given] // 10), due[given], due[given], np.full(given.sum(), CONCESSION))

    payments: list[tuple[np.ndarray, np.ndarray]] = []

    def pay(where, amount, business, designated=None) -> None:
        amount = np.maximum(amount[where], 1)
        row = rows.add("payment", lease[where], -amount, business[where], designated=designated)
        payments.append((row, np.flatnonzero(where)))

    soon = rnd.integers(-3, 4, len(lease))
    pay((payer == 0) | ((payer == 1) & (chance[4] < 0.1)), charged, due + soon)
    half = (payer == 1) & (chance[4] >= 0.1)
    pay(half, charged // 2, due + soon)
    pay(half, charged - charged // 2, due + 14)
    pay(payer == 2, charged, due + rnd.integers(8, 20, len(lease)))
    pay(payer == 3, charged * rnd.integers(70, 96, len(lease)) // 100, due + soon)
    pay((payer == 4) & (month % 3 == 0), 3 * charged, due + soon)
    pay(chance[5] < 0.08, np.full(len(lease), 5_000), due + 20, rnd.random((chance[5] < 0.08).sum()) < 0.2)

    account, amount, business, *_ = (np.concatenate(column) for column in zip(*rows.parts, strict=True))
    paid = np.concatenate([row for row, _ in payments])
    back = paid[rnd.random(len(paid)) < 0.02]
    day = business[back] + rnd.integers(2, 7, len(back))
    rows.add("payment_return", account[back], -amount[back], day, names=back)
    rows.add("charge", account[back], np.full(len(back), 3_500), day, day, np.full(len(back), NSF))
    again = rnd.random(len(back)) < 0.7
    rows.add("payment", account[back][again], amount[back][again], day[again] + 3)
    wrong = np.concatenate(charges)
    wrong = wrong[rnd.random(len(wrong)) < 0.011]
    day = business[wrong] + rnd.integers(1, 25, len(wrong))
    rows.add("charge_reversal", account[wrong], -amount[wrong], day, names=wrong)
    return _table(rnd, rows, late, stragglers, int(firsts[months // 2]))


def _table(rnd: np.random.Generator, rows: _Rows, late: float, stragglers: float, middle: int) -> pa.Table:
    account, amount, business, due, code, names, designated = (
        np.concatenate(column) for column in zip(*rows.parts, strict=True)
    )
    sizes = [len(part[0]) for part in rows.parts]
    kinds = list(TABLES)
    kind = np.repeat([kinds.index(one) for one in rows.kinds], sizes)
    count = len(account)
    # Charges are recorded by night runs, everything else while the office is open: order of knowledge, mostly.
    hour = np.array([1, 2, 9, 17, 18])[kind]
    lag = np.where((kind == kinds.index("payment")) & (rnd.random(count) < late), 1, 0)
    lag = np.where(rnd.random(count) < stragglers, rnd.integers(1, 10, count), lag)
    known = ((business + lag) * 24 + hour) * 3_600_000_000 + rnd.integers(0, 3_000_000_000, count)
    known = np.where(names >= 0, np.maximum(known, known[names] + 1), known)
    order = np.argsort(known, kind="stable")
    row_of = np.empty(count, np.int64)
    row_of[order] = np.arange(1, count + 1)
    jurisdiction = account % 12
    shape = SHAPE_OF_JURISDICTION[jurisdiction]
    policy = np.where(business < middle, 1 + shape, 1 + len(POLICIES) + shape)
    law = LAW_OF_JURISDICTION[jurisdiction]
    period = due.astype("datetime64[D]").astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    current = business.astype("datetime64[D]").astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    coded = code >= 0
    columns = {
        "account_key": account,
        "event_key": row_of,
        "kind": pa.DictionaryArray.from_arrays(pa.array(kind.astype(np.int8)), kinds),
        "amount_minor": amount,
        "business_on": business.astype(np.int32),
        "known_at": known,
        "tie_rank": kind * 10**12 + np.arange(count),
        "names_event_key": pa.array(row_of[names], mask=names < 0),
        "due_on": pa.array(due.astype(np.int32), mask=~coded),
        "posted_on": business.astype(np.int32),
        "category": pa.DictionaryArray.from_arrays(pa.array(code.astype(np.int8), mask=~coded), CATEGORIES),
        "code_key": pa.DictionaryArray.from_arrays(
            pa.array(code.astype(np.int8), mask=~coded), [f"default:{one}" for one in CODES]
        ),
        "gl_account": pa.DictionaryArray.from_arrays(
            pa.array(code.astype(np.int8), mask=~coded), [str(4000 + 100 * at) for at in range(len(CODES))]
        ),
        "counts_as_rent": coded & IS_RENT[code],
        "rent_period_from": pa.array(period.astype(np.int32), mask=~coded),
        "current_period_from": current.astype(np.int32),
        "service_from": pa.array(period.astype(np.int32), mask=~coded),
        "is_individual_billing": np.zeros(count, np.bool_),
        "designation": pa.DictionaryArray.from_arrays(
            pa.array(np.zeros(count, np.int8), mask=~designated.astype(np.bool_)), ["fees"]
        ),
        "is_forgiven": np.zeros(count, np.bool_),
        "is_after_move_out": np.zeros(count, np.bool_),
        "policy_rule_key": policy.astype(np.int32),
        "law_rule_key": pa.array(law.astype(np.int32), mask=law == 0),
    }
    taken = pa.array(order)
    arrays = []
    for field in EVENTS_SCHEMA:
        column = columns.get(field.name)
        if column is None:
            arrays.append(pa.nulls(count, field.type))
            continue
        array = column if isinstance(column, pa.Array) else pa.array(column)
        arrays.append(array.take(taken).cast(field.type))
    return pa.Table.from_arrays(arrays, schema=EVENTS_SCHEMA)
