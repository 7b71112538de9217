-- Runs that turned schedules into charges, as they stand now: one row a run, however often it was started.
-- What could go wrong: a run that was killed and started again counted twice.
with stg_posting_runs as (
    select * from {{ ref('stg_posting_runs') }}
),

latest as (
    select row_key, max(version_no) as version_no from stg_posting_runs group by row_key
),

int_events__posting_runs as (
    select
        runs.posting_run_key,
        runs.posting_run_id,
        runs.source_system,
        runs.property_key,
        runs.property_id,
        runs.kind,
        runs.business_date as business_on,
        runs.status,
        cast(runs.selected as bigint) as selected,
        cast(runs.posted as bigint) as posted,
        cast(runs.skipped as bigint) as skipped
    from stg_posting_runs as runs
    inner join latest on runs.row_key = latest.row_key and runs.version_no = latest.version_no
)

select * from int_events__posting_runs
