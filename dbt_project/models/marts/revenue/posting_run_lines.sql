-- The lines of posting runs, published: why a household was charged, or was not.
-- Nothing is computed here.
with int_events__posting_run_lines as (
    select * from {{ ref('int_events__posting_run_lines') }}
),

posting_run_lines as (
    select
        source_system,
        posting_run_id,
        line_key,
        lease_id,
        charge_code,
        period_from,
        amount,
        outcome,
        reason,
        charge_id
    from int_events__posting_run_lines
)

select * from posting_run_lines
