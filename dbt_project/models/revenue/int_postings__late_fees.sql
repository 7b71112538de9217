-- What a posting run would charge as late fees, as of the day of the build: a line per rent period that is owed, with the
-- lesser of law and policy over what was ever charged for it, or with the reason why nothing is charged.
-- What could go wrong: a fee that cannot be proved, or one that was waived, posted all the same.
with int_late_fees__verdicts as (
    select * from {{ ref('int_late_fees__verdicts') }} where charge_key is null
),

int_late_fees__cases as (
    select * from {{ ref('int_late_fees__cases') }}
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }} where known_to is null
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

codes as (
    select
        charge_code,
        source_system,
        row_number() over (partition by source_system order by charge_code) as place
    from int_portfolio__codes
    where category = 'late_fee'
    group by charge_code, source_system
),

properties as (
    select properties.*
    from int_portfolio__properties as properties
    cross join int_build__settings as settings
    where properties.valid_from <= settings.as_of_on and (properties.valid_to is null or settings.as_of_on < properties.valid_to)
),

decided as (
    select
        verdicts.*,
        cases.charged_ever,
        cases.is_on_hold,
        leases.unit_number,
        properties.time_zone,
        settings.as_of_on,
        coalesce(own.charge_code, shared.charge_code) as charge_code,
        case
            when coalesce(own.charge_code, shared.charge_code) is null then 'no_code'
            when verdicts.postable_amount > 0 and verdicts.period_to < settings.as_of_on then 'period_over'
            when verdicts.postable_amount > 0 then null
            when cases.is_on_hold then 'hold'
            when not verdicts.is_law_on_file then 'no_rule_on_file'
            when not verdicts.is_policy_on_file then 'no_policy'
            when verdicts.reason is not null then 'not_permitted'
            when cases.charged_ever > 0 then 'already_charged'
            when settings.as_of_on < verdicts.first_eligible_on then 'too_early'
            else 'unproven'
        end as skip_code
    from int_late_fees__verdicts as verdicts
    inner join int_late_fees__cases as cases on verdicts.case_key = cases.case_key
    inner join int_portfolio__leases as leases on verdicts.lease_key = leases.lease_key
    cross join int_build__settings as settings
    left join properties on verdicts.property_key = properties.property_key
    left join codes as own on verdicts.source_system = own.source_system and own.place = 1
    left join codes as shared on shared.source_system = 'default' and shared.place = 1
    where verdicts.paid_on is null
),

int_postings__late_fees as (
    select
        'late_fee' as kind,
        'late_fee:' || lease_key || ':' || {{ text('period_from') }} || ':' || {{ text('as_of_on') }} as line_key,
        source_system,
        property_key,
        property_id,
        time_zone,
        lease_key,
        lease_id,
        unit_number,
        charge_code,
        'resident' as ledger_party,
        cast(null as string) as responsible_person_id,
        cast(null as string) as schedule_id,
        cast(null as string) as concession_id,
        period_from,
        period_from as service_from,
        period_to as service_to,
        as_of_on as due_on,
        as_of_on as posted_on,
        postable_amount as amount,
        cast(null as string) as proration_method,
        cast(null as string) as corrects_charge_id,
        skip_code,
        case
            when skip_code is null then 'rent due ' || {{ text('due_on') }} || ' is owed; ' || law_rule_id || ' version ' || {{ text('law_rule_version') }} || ', ' || policy_rule_id || ' version ' || {{ text('policy_rule_version') }}
            when skip_code = 'no_code' then 'no charge code of category late_fee is on file'
            when skip_code = 'period_over' then 'its period ended on ' || {{ text('period_to') }}
            when skip_code = 'hold' then 'a hold on the case is in force'
            when skip_code = 'no_rule_on_file' then 'cannot be proved: no rule of law is on file for this place and day'
            when skip_code = 'no_policy' then 'no late fee policy of this property or lease is on file'
            when skip_code = 'not_permitted' then reason
            when skip_code = 'already_charged' then 'charged already for this late payment: ' || {{ text('charged_ever') }}
            when skip_code = 'too_early' then 'a fee may start on ' || {{ text('first_eligible_on') }}
            else 'cannot be proved'
        end as reason
    from decided
)

select * from int_postings__late_fees
