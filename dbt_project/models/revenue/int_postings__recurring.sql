-- What a posting run would charge from schedules and certifications, as of the day of the build: a line per expected
-- charge that is open to posting, with the outcome and, where nothing is to be posted, the reason.
-- What could go wrong: a month that the office took back on purpose put back, or one charged twice under two ids.
with int_billing__expected as (
    select * from {{ ref('int_billing__expected') }}
),

int_billing__charged as (
    select * from {{ ref('int_billing__charged') }}
),

int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

starts as (
    select
        property_key,
        min(case when kind = 'opening_balance' then {{ add_days('business_on', 1) }} end) as opened_on
    from int_ledger__entries
    group by property_key
),

closed as (
    select
        entity_key,
        {{ add_days('max(period_end)', 1) }} as open_from
    from int_closes__periods
    group by entity_key
),

properties as (
    select properties.*
    from int_portfolio__properties as properties
    cross join int_build__settings as settings
    where properties.valid_from <= settings.as_of_on and (properties.valid_to is null or settings.as_of_on < properties.valid_to)
),

-- Charges already there for a month, code and party: one that names the schedule, or one that names none.
there as (
    select
        expected.expected_key,
        max(case when charged.is_reversed then null else charged.charge_id end) as standing_id,
        max(case when charged.is_reversed then charged.charge_id end) as reversed_id
    from int_billing__expected as expected
    inner join int_billing__charged as charged
        on
            expected.lease_key = charged.lease_key
            and expected.code_key = charged.code_key
            and expected.ledger_party = charged.ledger_party
            and expected.period_from = charged.period_from
            and not charged.is_true_up
            and (
                charged.schedule_key is null
                or charged.schedule_key = expected.obligation_key
                or expected.origin = 'certification'
            )
            -- Of two rows of one period that name no schedule, each stands for the one of its own days.
            and (
                charged.schedule_key is not null
                or charged.service_from = expected.service_from
                or charged.service_from <= expected.service_from and coalesce(charged.service_to, charged.service_from) >= expected.service_from
            )
    group by expected.expected_key
),

totals as (
    select
        lease_key,
        code_key,
        ledger_party,
        period_from,
        sum(posted_amount) as posted_amount,
        max(case when is_reversed then 1 else 0 end) as has_reversed,
        max_by(charge_id, case when is_reversed or is_true_up then null else first_amount * first_amount end) as root_id
    from int_billing__charged
    group by lease_key, code_key, ledger_party, period_from
),

certified_totals as (
    select
        lease_key,
        code_key,
        ledger_party,
        period_from,
        sum(expected_amount) as expected_amount,
        min(expected_key) as first_key
    from int_billing__expected
    where origin = 'certification'
    group by lease_key, code_key, ledger_party, period_from
),

lines as (
    select
        expected.*,
        leases.unit_number,
        properties.time_zone,
        settings.as_of_on,
        closed.open_from,
        there.standing_id,
        there.reversed_id,
        starts.opened_on,
        certified_totals.expected_amount - totals.posted_amount as true_up_amount,
        coalesce(totals.has_reversed, 0) = 1 as has_reversed,
        totals.root_id
    from int_billing__expected as expected
    cross join int_build__settings as settings
    inner join int_portfolio__leases as leases on expected.lease_key = leases.lease_key
    left join properties on expected.property_key = properties.property_key
    left join closed on properties.entity_key = closed.entity_key
    left join starts on expected.property_key = starts.property_key
    left join there on expected.expected_key = there.expected_key
    left join certified_totals on expected.expected_key = certified_totals.first_key
    left join totals
        on
            expected.lease_key = totals.lease_key
            and expected.code_key = totals.code_key
            and expected.ledger_party = totals.ledger_party
            and expected.period_from = totals.period_from
),

decided as (
    select
        lines.*,
        coalesce(standing_id is not null and not has_reversed and true_up_amount <> 0 and root_id is not null, false) as is_true_up,
        case
            when charge_code is null then 'no_code'
            when reversed_id is not null and standing_id is null then 'taken_back'
            when standing_id is not null then 'already_charged'
            when expected_amount = 0 then 'nothing_to_charge'
            when opened_on is not null and period_from < opened_on then 'before_the_books'
            when due_on > as_of_on then 'not_yet_due'
            when period_to < as_of_on then 'period_over'
        end as skip_code
    from lines
),

int_postings__recurring as (
    select
        'recurring' as kind,
        case when is_true_up then expected_key || ':to:' || {{ text('true_up_amount + 0') }} else expected_key end as line_key,
        source_system,
        property_key,
        property_id,
        time_zone,
        lease_key,
        lease_id,
        unit_number,
        charge_code,
        ledger_party,
        responsible_person_id,
        schedule_id,
        concession_id,
        period_from,
        service_from,
        service_to,
        -- What a true-up adds is owed from the day it is posted: it makes nobody late backwards.
        case when is_true_up and true_up_amount > 0 then greatest(due_on, as_of_on) else due_on end as due_on,
        -- The day from which it counts: the day it is due, in the first open month where that one is closed.
        greatest(due_on, coalesce(open_from, due_on)) as posted_on,
        {{ money('case when is_true_up then true_up_amount else expected_amount end') }} as amount,
        proration_method,
        case when is_true_up then root_id end as corrects_charge_id,
        case when is_true_up then null else skip_code end as skip_code,
        case
            when is_true_up then 'true-up to certification ' || certification_id
            when skip_code = 'no_code' then 'no recurring charge code of category ' || coalesce(category, 'unknown') || ' is on file'
            when skip_code = 'taken_back' then 'taken back on purpose: ' || reversed_id
            when skip_code = 'already_charged' then 'already charged: ' || standing_id
            when skip_code = 'nothing_to_charge' then 'nothing to charge'
            when skip_code = 'before_the_books' then 'due before the books begin here on ' || {{ text('opened_on') }}
            when skip_code = 'not_yet_due' then 'due on ' || {{ text('due_on') }}
            when skip_code = 'period_over' then 'its period ended on ' || {{ text('period_to') }}
        end as reason
    from decided
    where period_to >= as_of_on or is_true_up or skip_code in ('period_over', 'taken_back')
)

select * from int_postings__recurring
