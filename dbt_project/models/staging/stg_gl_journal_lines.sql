-- The books' own journal lines, to compare with.
-- A comparison is made with what the books say now: a corrected export of the same row takes the place of the first.
-- What could go wrong: a version that is counted beside the one it replaced.
with landed as (
    select every_version.*
    from {{ source('landing', 'gl_journal_lines') }} as every_version
    inner join (
        select row_key, max(version_no) as version_no
        from {{ source('landing', 'gl_journal_lines') }}
        group by row_key
    ) as latest on every_version.row_key = latest.row_key and every_version.version_no = latest.version_no
)

select
    landed.entry_id,
    landed.line_no,
    landed.entity_key,
    landed.entity_id,
    landed.property_key,
    landed.property_id,
    landed.account,
    {{ day('landed.posted_on') }} as posted_on,
    {{ money('landed.amount') }} as amount,
    landed.basis,
    landed.memo,
    {{ written_instant('landed.recorded_at') }} as written_at,
    {{ is_written_in_utc('landed.recorded_at') }} as is_written_in_utc,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at
from landed
