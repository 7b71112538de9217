-- Posting runs, published: what each selected, posted and skipped.
-- Nothing is computed here.
with int_events__posting_runs as (
    select * from {{ ref('int_events__posting_runs') }}
),

posting_runs as (
    select
        source_system,
        posting_run_id,
        property_id,
        kind,
        business_on,
        status,
        selected,
        posted,
        skipped
    from int_events__posting_runs
)

select * from posting_runs
