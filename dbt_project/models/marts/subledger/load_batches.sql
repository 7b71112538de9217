-- Every file that was read, with what became of its rows and of its money.
-- Landed equals loaded plus duplicate plus quarantined plus skipped; the landed side was counted by the reader, not by
-- the judge. A file that was read through a profile has a row for each table that it gave.
with batches as (
    select * from {{ source('landing', 'batches') }}
),

batch_outcomes as (
    select * from {{ source('landing', 'batch_outcomes') }}
),

outcomes as (
    select
        batch_id,
        sum(case when verdict = 'loaded' then rows else 0 end) as rows_loaded,
        sum(case when verdict = 'duplicate' then rows else 0 end) as rows_duplicate,
        sum(case when verdict in ('quarantined', 'rejected') then rows else 0 end) as rows_quarantined,
        sum(case when verdict = 'skipped' then rows else 0 end) as rows_skipped,
        sum(case when verdict = 'loaded' then amount else 0 end) as amount_loaded,
        sum(case when verdict = 'duplicate' then amount else 0 end) as amount_duplicate,
        sum(case when verdict in ('quarantined', 'rejected') then amount else 0 end) as amount_quarantined
    from batch_outcomes
    group by batch_id
),

load_batches as (
    select
        batches.batch_id,
        batches.source_system,
        batches.table_name as {{ adapter.quote('table') }},
        batches.file,
        batches.format,
        batches.status,
        batches.message,
        batches.unknown_columns,
        coalesce(batches.file_hash, batches.batch_id) as file_hash,
        batches.profile,
        batches.profile_hash,
        {{ whole('batches.rows_landed') }} as rows_landed,
        {{ whole('coalesce(outcomes.rows_loaded, 0)') }} as rows_loaded,
        {{ whole('coalesce(outcomes.rows_duplicate, 0)') }} as rows_duplicate,
        {{ whole('coalesce(outcomes.rows_quarantined, 0)') }} as rows_quarantined,
        {{ whole('coalesce(outcomes.rows_skipped, 0)') }} as rows_skipped,
        {{ money('batches.amount_landed') }} as amount_landed,
        {{ money('coalesce(outcomes.amount_loaded, 0)') }} as amount_loaded,
        {{ money('coalesce(outcomes.amount_duplicate, 0)') }} as amount_duplicate,
        {{ money('coalesce(outcomes.amount_quarantined, 0)') }} as amount_quarantined,
        cast(batches.loaded_at as timestamp) as loaded_at
    from batches
    left join outcomes on batches.batch_id = outcomes.batch_id
)

select * from load_batches
