-- The comparisons of the last day of each month and of the build's day, and of every other day on which one differs.
-- Where no entity is asked for, those of the load too, which belong to no entity and stand on the day of their load. The
-- comparison with a bank account that several owners share is of none alone: it is shown for each of them.
with days as (
    select distinct as_of
    from tie_outs
    where as_of = last_day(as_of) or as_of = (select as_of from build_info)
)

select
    tie_outs.as_of,
    tie_outs.entity_id,
    tie_outs.source_system,
    tie_outs.property_id,
    tie_outs.ledger_party,
    tie_outs.tie_out,
    tie_outs.subject,
    tie_outs.left_label,
    tie_outs.left_amount,
    tie_outs.right_label,
    tie_outs.right_amount,
    tie_outs.difference,
    tie_outs.status,
    tie_outs.look_at
from tie_outs
left join days
    on tie_outs.as_of = days.as_of
where (
        (
            tie_outs.as_of between $from_on and $to_on
            and (days.as_of is not null or tie_outs.status <> 'ties')
        )
        or (tie_outs.entity_id is null and tie_outs.tie_out_no = 9)
    )
    and (
        (
            ($entity_id::varchar is null or tie_outs.entity_id = $entity_id)
            and ($source_system::varchar is null or tie_outs.source_system = $source_system)
        )
        or (
            tie_outs.entity_id is null
            and tie_outs.subject in (
                select 'settlement account ' || settlement_account
                from funds_in_transit
                where entity_id = $entity_id
                    and ($source_system::varchar is null or source_system = $source_system)
            )
        )
    )
order by
    tie_outs.as_of, tie_outs.entity_id, tie_outs.property_id, tie_outs.tie_out_no, tie_outs.tie_out,
    tie_outs.ledger_party, tie_outs.subject
