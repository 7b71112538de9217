-- What accounts owe at a day, by age; unapplied credit stands apart and is never netted into a bucket.
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
    balance
from aging_month_end
where lease_id between $first_lease and $last_lease
    and ledger_party = $ledger_party
    and as_of = $as_of
    and basis = 'business'
