-- The months for which an account can have a statement, newest first: from its first entry to the as-of day.
select strftime(month_start, '%Y-%m') as period
from (
    select unnest(generate_series(
        date_trunc('month', min(ledger.entry_on)),
        date_trunc('month', (select as_of from build_info)),
        interval 1 month
    )) as month_start
    from resident_ledger as ledger
    where ledger.source_system = $source_system
        and ledger.lease_id = $lease_id
        and ledger.ledger_party = $ledger_party
)
order by period desc
