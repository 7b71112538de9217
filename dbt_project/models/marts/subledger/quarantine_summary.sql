-- What waits in quarantine, counted in rows and cents by reason, file and age: where to begin, and what is getting old.
-- A count of the published quarantine and nothing else; the command and the page read the same rows.
with quarantine as (
    select * from {{ ref('quarantine') }}
),

-- A week is the time in which most rows release themselves, a month the time to a close, a quarter that to an audit.
waiting as (
    select
        *,
        case
            when waiting_days <= 7 then '0-7'
            when waiting_days <= 30 then '8-30'
            when waiting_days <= 90 then '31-90'
            else 'over 90'
        end as age_bucket
    from quarantine
    where status = 'open'
),

quarantine_summary as (
    select
        source_system,
        {{ adapter.quote('table') }},
        file,
        reason,
        age_bucket,
        count(*) as rows_waiting,
        {{ money('coalesce(sum(amount), 0)') }} as amount,
        count(case when amount is null then 1 end) as rows_without_amount,
        max(waiting_days) as waiting_days,
        min(first_seen_at) as first_seen_at
    from waiting
    group by source_system, {{ adapter.quote('table') }}, file, reason, age_bucket
)

select * from quarantine_summary
