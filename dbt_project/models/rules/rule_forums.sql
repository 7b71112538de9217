-- How forums compute arrears: which order money is put in, how far back they look, and what becomes of a rent deposit.
-- The built-in one puts money on the earliest rent owing and leaves the deposit out; landed rows stand beside it.
with stg_forum_rules as (
    select * from {{ ref('stg_forum_rules') }}
),

latest as (
    select row_key, max(version_no) as version_no from stg_forum_rules group by row_key
),

built_in as (
    select
        'earliest_rent' as forum,
        1 as version,
        cast(null as string) as jurisdiction,
        'tribunal_application' as purpose,
        'earliest_rent' as money_order,
        cast(null as integer) as window_months,
        'leave_out' as rent_deposit,
        cast(null as string) as citation,
        date '0001-01-01' as valid_from,
        cast(null as date) as valid_to
),

rule_forums as (
    select
        forum,
        cast(version as integer) as version,
        jurisdiction,
        purpose,
        money_order,
        window_months,
        rent_deposit,
        citation,
        valid_from,
        valid_to
    from built_in
    union all
    select
        stg_forum_rules.forum,
        cast(stg_forum_rules.version as integer) as version,
        stg_forum_rules.jurisdiction,
        stg_forum_rules.purpose,
        stg_forum_rules.{{ adapter.quote('order') }} as money_order,
        cast(stg_forum_rules.window_months as integer) as window_months,
        stg_forum_rules.rent_deposit,
        stg_forum_rules.citation,
        coalesce(stg_forum_rules.valid_from, date '0001-01-01') as valid_from,
        stg_forum_rules.valid_to
    from stg_forum_rules
    inner join latest on stg_forum_rules.row_key = latest.row_key and stg_forum_rules.version_no = latest.version_no
    where stg_forum_rules.forum <> 'earliest_rent'
)

select * from rule_forums
