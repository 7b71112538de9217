-- Tie-out 9, amounts: what the reader counted in a file is what was loaded, found to be a duplicate, quarantined or rejected
-- of it. The two sides are counted by different programs at different moments: the reader before anything was judged,
-- the outcomes from the accepted rows and the verdicts themselves. Refused files landed nothing and are left out.

with batches as (
    select * from {{ source('landing', 'batches') }}
),

batch_outcomes as (
    select * from {{ source('landing', 'batch_outcomes') }}
),

outcomes as (
    select
        batch_id,
        sum(amount) as outcome_total
    from batch_outcomes
    group by batch_id
),

compared as (
    select
        'batch_amounts__to__outcomes' as tie_out,
        9 as tie_out_no,
        cast(batches.loaded_at as date) as as_of,
        cast(null as {{ dbt.type_string() }}) as entity_key,
        cast(null as {{ dbt.type_string() }}) as entity_id,
        cast(null as {{ dbt.type_string() }}) as property_key,
        cast(null as {{ dbt.type_string() }}) as property_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        'batch ' || batches.batch_id as subject,
        'amounts landed' as left_label,
        {{ money('coalesce(batches.amount_landed, 0)') }} as left_amount,
        'amounts loaded, duplicate, quarantined or rejected' as right_label,
        {{ money('coalesce(outcomes.outcome_total, 0)') }} as right_amount,
        {{ money('coalesce(batches.amount_landed, 0) - coalesce(outcomes.outcome_total, 0)') }} as difference,
        case
            when coalesce(batches.amount_landed, 0) = coalesce(outcomes.outcome_total, 0) then 'ties'
            else 'differs'
        end as status,
        case
            when coalesce(batches.amount_landed, 0) <> coalesce(outcomes.outcome_total, 0)
                then 'file ' || batches.file || ' of ' || batches.table_name
        end as look_at
    from batches
    left join outcomes
        on outcomes.batch_id = batches.batch_id
    where batches.status = 'loaded'
)

select * from compared
