-- What should be charged: each obligation in each rent period, for the days on which it, the lease and the household were
-- there, by the recorded method, rounded once, with days and denominator kept. A change inside a period is two rows.
-- Pieces of one rent that fill a period add up to the period, whatever the method.
-- What could go wrong: the day of a change counted twice or not at all.
with int_billing__obligations as (
    select * from {{ ref('int_billing__obligations') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }} where known_to is null
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

codes as (
    {{ latest_of('int_portfolio__codes', 'code_key', ['prorates', 'category']) }}
),

properties as (
    {{ latest_of('int_portfolio__properties', 'property_key', ['has_thirty_day_months']) }}
),

spans as (
    select
        obligations.*,
        leases.lease_id,
        leases.property_key,
        leases.property_id,
        leases.rent_due_day,
        leases.start_on as lease_from,
        -- The lease stops on the day the household moves out; a term that ended without one stops on its last day.
        coalesce({{ add_days('leases.move_out_on', 'case when leases.is_move_out_day_charged then 0 else -1 end') }}, leases.end_on) as lease_to,
        leases.prorated_month,
        coalesce(obligations.proration_method, leases.proration_method) as method,
        coalesce(obligations.prorates, codes.prorates, true) as is_prorating,
        codes.category,
        coalesce(properties.has_thirty_day_months, false) as has_thirty_day_months,
        greatest(
            obligations.valid_from,
            {{ add_days('leases.start_on', 'case when not leases.is_move_in_day_charged and coalesce(leases.move_in_on, leases.start_on) = leases.start_on then 1 else 0 end') }}
        ) as bill_from,
        -- A month ahead of the day of the build: charges are posted some days before they are due.
        least(
            coalesce({{ add_days('obligations.valid_to', -1) }}, {{ add_months('settings.as_of_on', 2) }}),
            coalesce({{ add_days('leases.move_out_on', 'case when leases.is_move_out_day_charged then 0 else -1 end') }}, leases.end_on, {{ add_months('settings.as_of_on', 2) }}),
            {{ add_months('settings.as_of_on', 2) }}
        ) as bill_to,
        settings.as_of_on
    from int_billing__obligations as obligations
    inner join int_portfolio__leases as leases on obligations.lease_key = leases.lease_key
    cross join int_build__settings as settings
    left join codes on obligations.code_key = codes.code_key
    left join properties on leases.property_key = properties.property_key
),

counted as (
    select
        spans.*,
        {{ month_start(add_months('bill_from', -1)) }} as first_month,
        cast({{ days_between('bill_from', 'bill_to') }} as bigint) as span_days
    from spans
    where bill_from <= bill_to
),

months as (
    {{ expand_range('counted', 'obligation_key, origin, schedule_id, certification_id, source_system, lease_key, lease_id, property_key, property_id, code_key, charge_code, category, ledger_party, responsible_person_id, concession_id, amount, gross_amount, less_amount, method, is_prorating, has_thirty_day_months, prorated_month, rent_due_day, lease_from, lease_to, bill_from, bill_to, first_month, as_of_on', '0', whole_quotient('span_days', '28') ~ ' + 4', 'month_no') }}
),

anchored as (
    select
        months.*,
        {{ add_months('first_month', 'month_no') }} as anchor_month
    from months
),

periods as (
    select
        anchored.*,
        {{ rent_anchor('anchor_month', 'rent_due_day') }} as period_from,
        {{ rent_period_to(rent_anchor('anchor_month', 'rent_due_day'), 'rent_due_day') }} as period_to
    from anchored
),

pieces as (
    select
        periods.*,
        greatest(bill_from, period_from) as used_from,
        least(bill_to, period_to) as used_to
    from periods
    where period_from <= bill_to and bill_from <= period_to and period_from <= {{ add_months('as_of_on', 1) }}
),

placed as (
    select
        pieces.*,
        cast({{ days_between('period_from', 'period_to') }} + 1 as bigint) as period_days,
        cast({{ days_between('period_from', 'used_from') }} + 1 as bigint) as first_no,
        cast({{ days_between('period_from', 'used_to') }} + 1 as bigint) as last_no,
        row_number() over (
            partition by lease_key, code_key, ledger_party, responsible_person_id, period_from
            order by used_from, obligation_key
        ) as piece_no
    from pieces
),

families as (
    select
        placed.*,
        case when first_no = 1 and last_no = period_days then true
            else min(first_no) over (partition by lease_key, code_key, ledger_party, responsible_person_id, period_from) = 1
                and max(last_no) over (partition by lease_key, code_key, ledger_party, responsible_person_id, period_from) = period_days
                and sum(last_no - first_no + 1) over (partition by lease_key, code_key, ledger_party, responsible_person_id, period_from) = period_days
        end as is_filled
    from placed
),

shares as (
    select
        families.*,
        cast(case when is_flat then 1 else {{ counted_days('method', 'first_no', 'last_no', 'period_days', 'is_filled', 'has_thirty_day_months') }} end as bigint) as counted_days,
        cast(case when is_flat then 1 else {{ counted_against('method', 'period_days', 'is_filled', year_days('used_from')) }} end as bigint) as denominator,
        cast({{ counted_days("'actual_days_month'", 'first_no', 'last_no', 'period_days', 'is_filled', 'has_thirty_day_months') }} as bigint) as days_of_month,
        cast({{ counted_days("'thirty_day_month'", 'first_no', 'last_no', 'period_days', 'is_filled', 'false') }} as bigint) as days_of_thirty,
        cast({{ counted_days("'thirty_day_month'", 'first_no', 'last_no', 'period_days', 'is_filled', 'true') }} as bigint) as days_of_thirty_long,
        cast({{ counted_days("'actual_days_year'", 'first_no', 'last_no', 'period_days', 'is_filled', 'false') }} as bigint) as days_of_year,
        cast({{ counted_against("'actual_days_year'", 'period_days', 'is_filled', year_days('used_from')) }} as bigint) as against_year
    from (
        select families.*, not is_prorating or (first_no = 1 and last_no = period_days) as is_flat from families
    ) as families
    -- What is not prorated is charged once a period, by the row in force on its first day.
    where is_prorating or piece_no = 1
),

running as (
    select
        shares.*,
        sum(counted_days) over (
            partition by lease_key, code_key, ledger_party, responsible_person_id, period_from, amount, method, denominator, is_flat
            order by used_from, obligation_key
            rows between unbounded preceding and current row
        ) as counted_to
    from shares
),

priced as (
    select
        running.*,
        -- Pieces of one rent are rounded as they run, so that together they are the period to the cent.
        case
            when is_flat then amount
            else
                {{ share_of('gross_amount', 'counted_to', 'denominator') }} - {{ share_of('gross_amount', '(counted_to - counted_days)', 'denominator') }}
                - {{ share_of('less_amount', 'counted_to', 'denominator') }} + {{ share_of('less_amount', '(counted_to - counted_days)', 'denominator') }}
        end as priced_amount
    from running
),

-- Where a whole first month is collected at move-in, its part comes with the second.
moved as (
    select
        priced.*,
        case
            when prorated_month <> 'second' or not is_prorating or origin <> 'schedule' then priced_amount
            when lease_from > period_from and lease_from <= period_to and bill_from = lease_from and used_to = period_to then amount
            when bill_from = lease_from
                and lag(period_from) over (partition by obligation_key order by period_from) < lease_from
                and lag(used_to) over (partition by obligation_key order by period_from) = {{ add_days('period_from', -1) }}
                and is_flat
                then lag(priced_amount) over (partition by obligation_key order by period_from)
            else priced_amount
        end as expected_amount
    from priced
),

int_billing__expected as (
    select
        obligation_key || ':' || {{ text('period_from') }} as expected_key,
        obligation_key,
        origin,
        schedule_id,
        certification_id,
        source_system,
        lease_key,
        lease_id,
        property_key,
        property_id,
        code_key,
        charge_code,
        category,
        ledger_party,
        responsible_person_id,
        concession_id,
        period_from,
        period_to,
        used_from as service_from,
        used_to as service_to,
        used_from as due_on,
        case when is_prorating then method end as proration_method,
        amount as full_amount,
        cast(last_no - first_no + 1 as integer) as service_days,
        -- By the days of the year a day costs twelve rents over the year: the days stand here, the twelve in the method.
        cast(case when is_flat then period_days when method = 'actual_days_year' and not is_filled then {{ whole_quotient('counted_days', '12') }} else counted_days end as integer) as counted_days,
        cast(case when is_flat then period_days else denominator end as integer) as denominator,
        not is_flat as is_prorated,
        {{ money('expected_amount') }} as expected_amount,
        {{ money(share_of('amount', 'days_of_month', 'period_days')) }} as by_month_amount,
        {{ money(share_of('amount', 'days_of_thirty', '30')) }} as by_thirty_amount,
        {{ money(share_of('amount', 'days_of_thirty_long', '30')) }} as by_thirty_long_amount,
        {{ money(share_of('amount', 'days_of_year', 'against_year')) }} as by_year_amount,
        lease_to,
        used_from <= as_of_on as is_due
    from moved
)

select * from int_billing__expected
