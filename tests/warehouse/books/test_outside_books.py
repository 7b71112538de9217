"""Against other people's books (general ledger, bank, old system): each difference says what it is made of.

The cases named GLT are public questions about control accounts that would not agree; the facts stand in `outside.py`.
"""

from __future__ import annotations

from decimal import Decimal

from tests.warehouse.books.conftest import Books

DIFFERENCES = (
    "select class, amount, entry from marts.ledger_differences where entity_id = ? and account = ? "
    "and as_of = cast(? as date) order by line_no"
)


def explained(books: Books, entity: str, account: str, as_of: str = "2026-06-30") -> list[tuple[str, Decimal, str]]:
    """Class, amount and the entry's name without the file that it came from."""
    return [
        (what, amount, entry.split(" (")[0]) for what, amount, entry in books.rows(DIFFERENCES, entity, account, as_of)
    ]


def tied(books: Books, entity: str, subject: str, as_of: str) -> tuple[Decimal, Decimal, str]:
    rows = books.rows(
        "select left_amount, right_amount, status from marts.tie_outs "
        "where entity_id = ? and subject = ? and as_of = cast(? as date)",
        entity, subject, as_of,
    )  # fmt: skip
    assert len(rows) == 1, rows
    return rows[0]


def test_glt_08_an_entry_by_hand_is_the_whole_difference(worked: Books) -> None:
    assert tied(worked, "GLT-08", "accrual account 1200", "2026-06-30") == (Decimal("5000"), Decimal("4750"), "differs")
    assert tied(worked, "GLT-08", "accrual account 4000", "2026-06-30") == (Decimal("-5000"), Decimal("-5000"), "ties")
    assert explained(worked, "GLT-08", "1200") == [
        ("manual_journal", Decimal("250.00"), 'entry GLT-08-JE-17 "to agree"')
    ]
    assert explained(worked, "GLT-08", "6999") == [
        ("unmapped", Decimal("-250.00"), "no charge code and no role leads to account 6999")
    ]


def test_glt_01_the_control_account_and_the_list_of_balances_are_corrected_to_one_figure(worked: Books) -> None:
    """Seven errors: a bill of 320 entered as 230 in both; in the account returns 900 too low, a discount of 15 missing
    and receipts of 67,908 posted as 67,980; in the list a credit note of 460 taken for a bill, a balance of 20 left out
    and a credit balance of 53 listed as debit."""
    ours, control = (
        sum(tied(worked, "GLT-01", f"accrual account {account}", "2026-06-30")[side] for account in ("1200", "2000"))
        for side in (0, 1)
    )
    assert (control, ours) == (Decimal(64969), Decimal(64216))
    steps: dict[str, Decimal] = {}
    for what, amount, name in explained(worked, "GLT-01", "1200"):
        assert what in ("manual_journal", "not_in_the_books"), (what, name)
        error = {"BILL": "bill", "2": "bill", "RETURNS": "returns", "3": "returns", "DISCOUNT": "discount"}
        steps[key] = steps.get(key := error.get(name.rsplit("-", 1)[1], "receipts"), Decimal(0)) + amount
    assert steps == {"bill": Decimal(90), "returns": Decimal(-900), "discount": Decimal(-15), "receipts": Decimal(72)}
    assert explained(worked, "GLT-01", "2000") == []

    listed = {
        subject.split(" in ")[0].removeprefix("balance of "): (left, right, -difference)
        for subject, left, right, difference in worked.rows(
            "select subject, left_amount, right_amount, difference from marts.tie_outs "
            "where tie_out_no = 13 and entity_id = 'GLT-01'"
        )
    }
    assert listed.pop("property GLT-01") == (Decimal(65132), Decimal(64216), Decimal(-916))
    left_out = worked.rows(
        "select lease_id, balance from marts.aging_month_end "
        "where entity_id = 'GLT-01' and as_of = '2026-06-30' and basis = 'books' and lease_id not in "
        "(select lease_id from tie_outs.int_tie_outs__control_totals where lease_id is not null)"
    )
    assert left_out == [("GLT-01-SMALL", Decimal(20))]
    found = {lease: step for lease, (_, _, step) in listed.items() if step}
    found |= {f"lease {lease}": balance for lease, balance in left_out}
    assert found == {
        "lease GLT-01-BILL": Decimal(90), "lease GLT-01-NOTE": Decimal(-920), "lease GLT-01-SMALL": Decimal(20),
        "lease GLT-01-CREDIT": Decimal(-106),
    }  # fmt: skip
    assert sum(left for left, _, _ in listed.values()) == Decimal(65132)
    assert Decimal(65132) + sum(found.values()) == Decimal(64969) + sum(steps.values()) == Decimal(64216)
    incomplete = worked.one(
        "select incomplete_causes from marts.close_status where entity_id = 'GLT-01' and period = '2026-06'"
    )
    assert incomplete == 4, "what the list says otherwise stands against the close: three households and the total"


def test_money_that_the_books_post_two_days_later_is_a_matter_of_timing(worked: Books) -> None:
    pair = "payments TIMING-P1"
    assert explained(worked, "TIMING", "1000") == [("timing", Decimal("800.00"), pair)]
    assert explained(worked, "TIMING", "1200") == [("timing", Decimal("-800.00"), pair)]
    assert tied(worked, "TIMING", "accrual account 1000", "2026-07-31")[2] == "ties"


def test_entries_of_a_day_whose_promised_file_did_not_come_are_a_missing_batch(worked: Books) -> None:
    """The promise says so, not the number of entries: two of a day for which nothing was promised are by hand."""
    promised = worked.rows(
        "select table_name, period_from::varchar, status from marts.batch_expectations where entity_id = 'NO-BATCH'"
    )
    assert promised == [("charges", "2026-06-10", "missing")]
    assert explained(worked, "NO-BATCH", "1200") == [
        ("missing_batch", Decimal("-60.00"), "entry NO-BATCH-2"),
        ("missing_batch", Decimal("-70.00"), "entry NO-BATCH-3"),
        ("manual_journal", Decimal("-5.00"), "entry NO-BATCH-4"),
        ("manual_journal", Decimal("-6.00"), "entry NO-BATCH-5"),
    ]


def test_what_the_books_posted_into_a_closed_month_is_a_late_arrival_here(worked: Books) -> None:
    assert explained(worked, "LATE-BOOKS", "1000", "2026-10-31") == [
        ("late_arrival", Decimal("-100.00"), "payments LATE-BOOKS-P1")
    ]


def test_the_lines_of_every_difference_add_up_to_it(worked: Books) -> None:
    broken = worked.rows(
        """
        select t.entity_id, t.subject, t.difference, sum(d.amount)
        from marts.tie_outs t
        left join marts.ledger_differences d
            on d.entity_id = t.entity_id and d.book || ' account ' || d.account = t.subject and d.as_of = t.as_of
        where t.tie_out_no = 6
        group by all having t.difference <> coalesce(sum(d.amount), 0)
        """
    )
    assert broken == []
    assert worked.one("select count(*) from marts.tie_outs where tie_out_no = 6 and difference <> 0") == 12
    assert worked.rows("select * from marts.ledger_differences where class = 'unexplained'") == []


def test_a_difference_against_other_books_is_counted_for_the_close_and_stops_no_build(worked: Books) -> None:
    counted = worked.rows(
        "select period, tie_outs_that_differ from marts.close_status where entity_id = 'GLT-08' and "
        "tie_outs_that_differ > 0"
    )
    assert counted == [("2026-06", 2)]


def test_the_bank_that_booked_ten_less_is_found_with_its_deposit_and_payment(worked: Books) -> None:
    days = worked.rows(
        "select as_of::varchar, left_amount, right_amount, look_at from marts.tie_outs "
        "where tie_out_no = 7 and subject = 'settlement account bank-1' "
        "and as_of between '2026-06-01' and '2026-06-10' order by as_of"
    )
    amounts = {day[8:]: (int(left), int(right)) for day, left, right, _ in days}
    assert amounts == {
        "01": (0, 0), "02": (0, 0), "03": (500, 500), "04": (500, 500), "05": (800, 790), "06": (800, 790),
        "07": (800, 790), "08": (800, 790), "09": (800, 790), "10": (300, 290),
    }  # fmt: skip
    looks = {day[8:]: look for day, _, _, look in days}
    assert looks["04"] is None
    assert "bank_deposits D2 (" in looks["05"] and "payments TRANSIT-P2 (" in looks["10"] and "D3" not in looks["10"]


def test_money_under_way_is_told_by_owner_account_and_day(worked: Books) -> None:
    rows = worked.rows(
        "select as_of::varchar, received_to_date, settled_to_date, in_transit from marts.funds_in_transit "
        "where entity_id = 'TRANSIT' and settlement_account = 'bank-1' order by as_of"
    )
    assert [(day[8:], *map(int, amounts)) for day, *amounts in rows] == [
        ("01", 500, 0, 500),
        ("02", 800, 0, 800),
        ("03", 800, 500, 300),
        ("04", 800, 500, 300),
        ("05", 800, 800, 0),
        ("10", 300, 300, 0),
    ]


def test_going_live_a_household_that_was_left_behind_is_found_in_its_bucket(worked: Books) -> None:
    rows = worked.rows(
        "select subject, left_amount, right_amount, status from marts.tie_outs "
        "where tie_out = 'opening_balances__to__old_aging' order by subject"
    )
    assert [(subject, int(left), int(right), status) for subject, left, right, status in rows] == [
        ("lease GO-LIVE balance", 650, 650, "ties"),
        ("lease GO-LIVE days_0_30", 450, 450, "ties"),
        ("lease GO-LIVE days_61_90", 200, 200, "ties"),
        ("lease GO-LIVE-2 balance", -70, -70, "ties"),
        ("lease GO-LIVE-2 unapplied_credit", 70, 70, "ties"),
        ("lease GO-LIVE-3 balance", 0, 25, "differs"),
        ("lease GO-LIVE-3 days_0_30", 0, 25, "differs"),
    ]


def test_deposits_are_reconciled_three_ways_at_every_month_end(worked: Books) -> None:
    """500 was paid with the rent and lies in operating cash; 100 came into trust; interest of 6 was credited in May."""
    rows = worked.rows(
        "select period, held_by_leases, held_by_ledger, trust_cash, not_in_trust from marts.trust_reconciliation "
        "where entity_id = 'DEPOSIT' and period in ('2026-01', '2026-05', '2026-06') order by period"
    )
    assert [(period, *map(int, amounts)) for period, *amounts in rows] == [
        ("2026-01", 600, 600, 100, 500),
        ("2026-05", 606, 606, 100, 506),
        ("2026-06", 0, 0, -56, 56),
    ]


def test_a_trust_account_is_reconciled_with_leases_ledger_and_bank(worked: Books) -> None:
    """800 was received for two houses and 760 reached the bank; a refund of 30 May left it on 1 June. A third house, of
    another system, came to the account in May with 100."""
    rows = worked.rows(
        "select period, properties, held_by_leases, trust_cash, at_bank, not_in_trust, not_at_bank "
        "from marts.trust_accounts where settlement_account = 'trust-1' and period between '2026-04' and '2026-06' "
        "order by period"
    )
    assert [(period, *map(int, amounts)) for period, *amounts in rows] == [
        ("2026-04", 2, 800, 800, 760, 0, 40),
        ("2026-05", 3, 700, 700, 860, 0, -160),
        ("2026-06", 3, 700, 700, 660, 0, 40),
    ]
    assert worked.rows("select distinct at_bank from marts.trust_accounts where settlement_account <> 'trust-1'") == []
