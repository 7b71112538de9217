-- The list of late arrivals against what they are said to have changed: for every closed month and property, the entries of
-- accounts that are dated by then and were booked after it, and what the changes of that month say on the receivable and prepaid
-- accounts. So a cent that came late and is not put back on its day, or is put back twice, shows. It belongs to tie-out 11.

with int_late_arrivals__entries as (
    select * from {{ ref('int_late_arrivals__entries') }} where ledger = 'account'
),

int_tie_outs__reported_changes as (
    select * from {{ ref('int_tie_outs__reported_changes') }}
),

int_tie_outs__closed_months as (
    select * from {{ ref('int_tie_outs__closed_months') }}
),

int_owners__periods as (
    select distinct property_key from {{ ref('int_owners__periods') }}
),

sides as (
    select
        late.entity_key,
        late.entity_id,
        late.property_key,
        late.property_id,
        closes.period,
        closes.period_end,
        late.amount as left_amount,
        cast(0 as decimal(18, 2)) as right_amount
    from int_late_arrivals__entries as late
    inner join int_tie_outs__closed_months as closes
        on closes.entity_key = late.entity_key
        and late.entry_on <= closes.period_end
        and closes.period_end < late.accounting_on
    union all
    select
        entity_key,
        entity_id,
        property_key,
        property_id,
        closed_period,
        {{ month_end(period_start('closed_period')) }},
        0,
        amount
    from int_tie_outs__reported_changes
    where account_role in {{ listed(receivable_roles() + ['prepaid']) }}
),

-- Where a property was sold, what is late stands with the owner of its business date and is booked with the next one.
sums as (
    select
        sides.entity_key,
        min(sides.entity_id) as entity_id,
        sides.property_key,
        min(sides.property_id) as property_id,
        sides.period,
        sides.period_end,
        sum(sides.left_amount) as left_amount,
        sum(sides.right_amount) as right_amount
    from sides
    left join int_owners__periods as sold on sold.property_key = sides.property_key
    where sold.property_key is null
    group by sides.entity_key, sides.property_key, sides.period, sides.period_end
),

compared as (
    select
        'late_arrivals__to__reported_changes' as tie_out,
        11 as tie_out_no,
        sums.period_end as as_of,
        sums.entity_key,
        sums.entity_id,
        sums.property_key,
        sums.property_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        'month ' || sums.period as subject,
        'late arrivals dated by then' as left_label,
        {{ money('sums.left_amount') }} as left_amount,
        'what they change on the accounts of residents' as right_label,
        {{ money('sums.right_amount') }} as right_amount,
        {{ money('sums.left_amount - sums.right_amount') }} as difference,
        case when sums.left_amount = sums.right_amount then 'ties' else 'differs' end as status,
        cast(null as {{ dbt.type_string() }}) as look_at
    from sums
)

select * from compared
