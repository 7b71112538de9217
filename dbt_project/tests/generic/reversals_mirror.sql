{#- A row that takes another back names a row of the same money and the same charge, and all that take one back together
    never exceed it. A row without anything to take back is money applied, and is positive. -#}
{% test reversals_mirror(model) %}
with taken_back as (
    select
        undone.application_id,
        undone.amount,
        sum(undoing.amount) as taken_back,
        min(
            case
                when undoing.source_event_key = undone.source_event_key and undoing.target_event_key = undone.target_event_key then 1
                else 0
            end
        ) as is_same_pair
    from {{ model }} as undoing
    inner join {{ model }} as undone on undoing.reverses_application_id = undone.application_id
    group by undone.application_id, undone.amount
)

select
    application_id,
    'what takes an application back exceeds it, or names other money or another charge' as message
from taken_back
where is_same_pair = 0 or sign(taken_back) <> -sign(amount) or abs(taken_back) > abs(amount)
union all
select
    application_id,
    'an application that takes nothing back is not positive' as message
from {{ model }}
where (reverses_application_id is null and amount <= 0) or (not reverses_application_id is null and reason is null)
{% endtest %}
