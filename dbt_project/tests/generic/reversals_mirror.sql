{#- A row that takes another back names a row of the same money and the same charge, and all that take one back together
    never exceed it. What takes back counts as far as it stands: where a return fell with the application that it took
    back (late knowledge moved both), each has its own correction, which is its exact negative. A row without anything
    to take back is money applied, and is positive. -#}
{% test reversals_mirror(model) %}
with corrected as (
    select reverses_application_id, sum(amount) as amount
    from {{ model }}
    where reason = 'correction'
    group by reverses_application_id
),

standing as (
    select
        undoing.*,
        undoing.amount + coalesce(corrected.amount, 0) as standing_amount
    from {{ model }} as undoing
    left join corrected on undoing.application_id = corrected.reverses_application_id
),

taken_back as (
    select
        undone.application_id,
        undone.amount,
        sum(undoing.standing_amount) as taken_back,
        min(
            case
                when undoing.source_event_key = undone.source_event_key and undoing.target_event_key = undone.target_event_key then 1
                else 0
            end
        ) as is_same_pair,
        max(case when undoing.reason = 'correction' and undoing.amount <> -undone.amount then 1 else 0 end) as is_half_corrected
    from standing as undoing
    inner join {{ model }} as undone on undoing.reverses_application_id = undone.application_id
    group by undone.application_id, undone.amount
)

select
    application_id,
    'what takes an application back exceeds it, or names other money or another charge' as message
from taken_back
where is_same_pair = 0 or sign(taken_back) = sign(amount) or abs(taken_back) > abs(amount)
union all
select
    application_id,
    'a correction is not the exact negative of the row it undoes' as message
from taken_back
where is_half_corrected = 1
union all
select
    application_id,
    'an application that takes nothing back is not positive' as message
from {{ model }}
where (reverses_application_id is null and amount <= 0) or (not reverses_application_id is null and reason is null)
{% endtest %}
