-- Every day of an entity's comparisons as one hash that covers the days before it: two builds that agree on the hash of a day
-- agree on both sides of every comparison up to that day. Taken are the comparisons that go by accounting date (1 to 5, 10
-- and 12): a later fact changes none of their days in a closed month. A day is hashed over its rows, a month over its
-- days, and the chain over the months before and the days of the month, so that no text grows with the years.
-- What could go wrong: rows that stand at nothing on both sides come and go with new parties; they are left out.

with int_tie_outs__all as (
    select * from {{ ref('int_tie_outs__all') }}
),

compared as (
    select
        entity_key,
        entity_id,
        as_of,
        difference,
        {{ month_start('as_of') }} as month_start,
        case
            when left_amount <> 0 or right_amount <> 0
                then
                    tie_out || '|' || coalesce(property_key, '') || '|' || coalesce(ledger_party, '') || '|'
                    || coalesce(subject, '') || '|' || {{ text('left_amount') }} || '|' || {{ text('right_amount') }}
        end as row_text
    from int_tie_outs__all
    where entity_key is not null and tie_out_no in (1, 2, 3, 4, 5, 10, 12)
),

days as (
    select
        entity_key,
        min(entity_id) as entity_id,
        as_of,
        month_start,
        count(*) as comparisons,
        count(case when difference <> 0 then 1 end) as comparisons_that_differ,
        {{ sha256_hex("coalesce(" ~ dbt.listagg('row_text', "';'", 'order by row_text') ~ ", '')") }} as day_hash
    from compared
    group by entity_key, as_of, month_start
),

months as (
    select
        entity_key,
        month_start,
        {{ sha256_hex(dbt.listagg('day_hash', "''", 'order by as_of')) }} as month_hash
    from days
    group by entity_key, month_start
),

months_before as (
    select
        entity_key,
        month_start,
        {{ texts_so_far('month_hash', 'entity_key', 'month_start', '1 preceding') }} as earlier_months
    from months
),

days_so_far as (
    select
        *,
        {{ texts_so_far('day_hash', 'entity_key, month_start', 'as_of') }} as earlier_days
    from days
),

int_tie_outs__days as (
    select
        {{ source_system_of('days_so_far.entity_key', 'days_so_far.entity_id') }} as source_system,
        days_so_far.entity_key,
        days_so_far.entity_id,
        days_so_far.as_of,
        cast(days_so_far.comparisons as bigint) as comparisons,
        cast(days_so_far.comparisons_that_differ as bigint) as comparisons_that_differ,
        days_so_far.day_hash,
        {{ sha256_hex('months_before.earlier_months || days_so_far.earlier_days') }} as chain_hash
    from days_so_far
    inner join months_before
        on months_before.entity_key = days_so_far.entity_key
        and months_before.month_start = days_so_far.month_start
)

select * from int_tie_outs__days
