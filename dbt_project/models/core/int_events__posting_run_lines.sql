-- What posting runs selected, line by line, as it stands now: why was this household charged, or not.
-- What could go wrong: two versions of a line shown as two decisions.
with stg_posting_run_lines as (
    select * from {{ ref('stg_posting_run_lines') }}
),

latest as (
    select row_key, max(version_no) as version_no from stg_posting_run_lines group by row_key
),

int_events__posting_run_lines as (
    select
        lines.posting_run_key,
        lines.posting_run_id,
        lines.source_system,
        lines.line_key,
        lines.lease_key,
        lines.lease_id,
        lines.charge_code,
        lines.period_from,
        lines.amount,
        lines.outcome,
        lines.reason,
        lines.charge_id
    from stg_posting_run_lines as lines
    inner join latest on lines.row_key = latest.row_key and lines.version_no = latest.version_no
)

select * from int_events__posting_run_lines
