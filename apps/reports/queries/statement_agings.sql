-- What accounts owe at a day, by age; unapplied credit stands apart and is never netted into a bucket. Of that credit, what
-- was written off beyond what was owed is no money of the household.
select
    source_system,
    lease_id,
    as_of,
    not_yet_due,
    days_0_30,
    days_31_60,
    days_61_90,
    days_over_90,
    open_total,
    rent_open,
    other_open,
    unapplied_credit,
    coalesce(
        (
            select sum(waiting.amount)
            from unapplied_credits as waiting
            where waiting.is_over_written_off
                and waiting.source_system = aging_month_end.source_system
                and waiting.lease_id = aging_month_end.lease_id
                and waiting.ledger_party = aging_month_end.ledger_party
                and waiting.waiting_since <= aging_month_end.as_of
        ),
        0
    )::decimal(18, 2) as over_written_off,
    balance
from aging_month_end
where lease_id between $first_lease and $last_lease
    and ledger_party = $ledger_party
    and as_of = $as_of
    and basis = 'business'
