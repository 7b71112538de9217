-- How forums compute arrears: which order money is put in, how far back they look, and what becomes of a rent deposit.
-- On two time axes, like every law: a claim is computed by the version in force on the day of its figure, as known at the
-- moment of its figure. The built-in one puts money on the earliest rent owing and leaves the deposit out; landed rows
-- stand beside it. What could go wrong: a version that came later moving a claim that was made before.
with stg_forum_rules as (
    select * from {{ ref('stg_forum_rules') }} where forum <> 'earliest_rent'
),

effective_closes as (
    select * from {{ ref('rule_closes') }} where refused_because is null
),

{{ known_versions('stg_forum_rules', 'effective_closes', ['row_key'], falls_back=false) }},

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
        cast(null as date) as valid_to,
        cast(null as timestamp) as known_from,
        cast(null as timestamp) as known_to
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
        valid_to,
        known_from,
        known_to
    from built_in
    union all
    select
        forum,
        cast(version as integer) as version,
        jurisdiction,
        purpose,
        {{ adapter.quote('order') }} as money_order,
        cast(window_months as integer) as window_months,
        rent_deposit,
        citation,
        coalesce(valid_from, date '0001-01-01') as valid_from,
        valid_to,
        known_from,
        known_to
    from known_versions
    -- A correction that was known as soon as what it corrects leaves nothing of it to be known.
    where known_to is null or coalesce(known_from, timestamp '0001-01-01 00:00:00') < known_to
)

select * from rule_forums
