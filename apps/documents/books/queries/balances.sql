-- The trial balance of a book, a row per property, account and month, and what the account had closed at the month before.
-- Where a month opens at something else, a fiscal year has ended: the result moved into retained earnings without a journal.
with months as (
    select
        source_system,
        entity_id,
        property_id,
        account,
        account_name,
        account_type,
        period,
        opening,
        debits,
        credits,
        closing,
        coalesce(lag(closing) over (
            partition by source_system, entity_id, property_id, account
            order by period
        ), 0)::decimal(18, 2) as closing_before
    from trial_balance
    where book = $book
        and ($entity_id::varchar is null or entity_id = $entity_id)
        and ($source_system::varchar is null or source_system = $source_system)
)

select *
from months
where period between $from_period and $to_period
order by period, source_system, entity_id, property_id nulls first, account
