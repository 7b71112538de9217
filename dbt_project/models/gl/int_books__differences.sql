-- What the books say differently of one month: for each pair of books the result of the month, the difference, and what
-- the differences of all months so far add up to. The memo says in words how large it is against the month's result;
-- whether it is material stays a person's judgement, five in a hundred being where the question is asked first.
-- What could go wrong: results that include what was carried to retained earnings; only debits and credits are added.

with int_trial_balance__periods as (
    select * from {{ ref('int_trial_balance__periods') }}
),

results as (
    select
        book,
        source_system,
        entity_key,
        entity_id,
        period,
        period_start,
        sum(case when account_type in ('income', 'contra_income', 'expense') then credits - debits else 0 end) as result
    from int_trial_balance__periods
    group by book, source_system, entity_key, entity_id, period, period_start
),

months as (
    select distinct source_system, entity_key, entity_id, period, period_start
    from results
),

pairs as (
    select 'accrual' as left_book, 'cash' as right_book
    union all
    select 'accrual', 'straight_line'
    union all
    select 'cash', 'straight_line'
),

compared as (
    select
        months.*,
        pairs.left_book,
        pairs.right_book,
        coalesce(left_results.result, 0) as left_result,
        coalesce(right_results.result, 0) as right_result
    from months
    cross join pairs
    left join results as left_results
        on left_results.entity_key = months.entity_key
        and left_results.period = months.period
        and left_results.book = pairs.left_book
    left join results as right_results
        on right_results.entity_key = months.entity_key
        and right_results.period = months.period
        and right_results.book = pairs.right_book
),

measured as (
    select
        *,
        left_result - right_result as difference,
        sum(left_result - right_result) over (
            partition by entity_key, left_book, right_book order by period_start
        ) as difference_to_date
    from compared
),

int_books__differences as (
    select
        source_system,
        entity_key,
        entity_id,
        period,
        left_book,
        right_book,
        {{ money('left_result') }} as left_result,
        {{ money('right_result') }} as right_result,
        {{ money('difference') }} as difference,
        {{ money('difference_to_date') }} as difference_to_date,
        abs(difference) * 100 >= {{ percent_that_is_asked_about() }} * abs(left_result) and difference <> 0 as is_asked_about,
        case
            when difference = 0 then 'Both books show the same result.'
            else
                'The ' || replace(left_book, '_', '-') || ' book shows '
                || {{ text(money('abs(difference)')) }}
                || case when difference > 0 then ' more' else ' less' end || ' than the ' || replace(right_book, '_', '-')
                || ' book in the month (' || {{ text(money('left_result')) }} || ' against ' || {{ text(money('right_result')) }}
                || '), ' || {{ text(money('difference_to_date')) }} || ' in all so far. '
                || case
                    when abs(difference) * 100 >= {{ percent_that_is_asked_about() }} * abs(left_result)
                        then 'That is {{ percent_that_is_asked_about() }}% of its result or more: say in the close why it is not material.'
                    else 'That is less than {{ percent_that_is_asked_about() }}% of its result.'
                end
        end as memo
    from measured
)

select * from int_books__differences
