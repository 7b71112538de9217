-- What each lease owes every full period, by date: its schedules, and where a subsidy program certified the rent what its
-- certifications come to under the rules of the program. One shape; what posts it is another matter.
-- What could go wrong: a schedule of the rent read beside the certification that replaces it.
with int_portfolio__schedules as (
    select * from {{ ref('int_portfolio__schedules') }}
),

int_portfolio__certifications as (
    select * from {{ ref('int_portfolio__certifications') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }} where known_to is null
),

int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

rule_program_rents as (
    select * from {{ ref('rule_program_rents') }}
),

-- Leases in the register of the agency that pays their voucher.
owners as (
    {{ latest_of('int_portfolio__properties', 'property_key', ['entity_key']) }}
),

agency_leases as (
    select leases.lease_key
    from int_portfolio__leases as leases
    inner join owners on leases.property_key = owners.property_key
    inner join int_portfolio__entities as entities on owners.entity_key = entities.entity_key
    where entities.is_voucher_agency
),

latest_codes as (
    {{ latest_of('int_portfolio__codes', 'code_key', ['charge_code', 'source_system', 'category', 'is_recurring', 'application_priority']) }}
),

-- The code that a program's line posts under: of the lease's own system the recurring one of its category, first in rank.
ranked_codes as (
    select
        latest_codes.*,
        row_number() over (partition by source_system, category order by coalesce(application_priority, 9999), charge_code) as place
    from latest_codes
    where is_recurring and category in ('rent', 'subsidy', 'utility_reimbursement')
),

firsts as (
    select
        lease_key,
        min(first_effective_on) as first_effective_on
    from int_portfolio__certifications
    group by lease_key
),

scheduled as (
    select
        schedules.schedule_key as obligation_key,
        'schedule' as origin,
        schedules.schedule_id,
        cast(null as string) as certification_id,
        schedules.source_system,
        schedules.lease_key,
        schedules.code_key,
        schedules.charge_code,
        schedules.ledger_party,
        schedules.responsible_person_id,
        schedules.concession_id,
        schedules.amount,
        cast(null as decimal(18, 2)) as gross_amount,
        cast(null as decimal(18, 2)) as less_amount,
        schedules.proration_method,
        schedules.prorates,
        schedules.valid_from,
        case
            when codes.category in ('rent', 'subsidy', 'utility_reimbursement') and firsts.first_effective_on is not null
                then least(coalesce(schedules.valid_to, firsts.first_effective_on), firsts.first_effective_on)
            else schedules.valid_to
        end as valid_to
    from int_portfolio__schedules as schedules
    left join latest_codes as codes on schedules.code_key = codes.code_key
    left join firsts on schedules.lease_key = firsts.lease_key
),

lines as (
    select
        certifications.*,
        rents.line,
        rents.charged,
        rents.category,
        rents.ledger_party,
        case rents.line
            when 'charge' then case
                when rents.charged = 'contract_rent' then coalesce(certifications.contract_rent, greatest(certifications.tenant_rent, 0))
                when rents.charged = 'base_rent' then greatest(coalesce(certifications.base_rent, certifications.tenant_rent), certifications.tenant_rent, 0)
                else greatest(certifications.tenant_rent, 0)
            end
            when 'credit' then case
                when rents.charged = 'contract_rent' then greatest(coalesce(certifications.contract_rent, 0) - greatest(certifications.tenant_rent, 0), 0)
                when rents.charged = 'base_rent' then greatest(coalesce(certifications.base_rent, 0) - greatest(certifications.tenant_rent, 0), 0)
            end
            when 'agency' then greatest(coalesce(certifications.contract_rent, 0) - greatest(certifications.tenant_rent, 0), 0)
            -- A negative rent is owed to the household as a reimbursement of utilities.
            when 'reimbursement' then greatest(coalesce(certifications.utility_reimbursement, 0), -certifications.tenant_rent, 0)
        end as line_amount,
        case when rents.line in ('credit', 'reimbursement') then -1 else 1 end as sign
    from int_portfolio__certifications as certifications
    inner join int_portfolio__leases as leases on certifications.lease_key = leases.lease_key
    inner join rule_program_rents as rents on leases.program = rents.program
    left join agency_leases on certifications.lease_key = agency_leases.lease_key
    where rents.is_in_agency_register or agency_leases.lease_key is null
),

certified as (
    select
        lines.certification_key || ':' || lines.line as obligation_key,
        'certification' as origin,
        cast(null as string) as schedule_id,
        lines.certification_id,
        lines.source_system,
        lines.lease_key,
        coalesce(own.code_key, shared.code_key) as code_key,
        coalesce(own.charge_code, shared.charge_code) as charge_code,
        lines.ledger_party,
        cast(null as string) as responsible_person_id,
        cast(null as string) as concession_id,
        lines.line_amount * lines.sign as amount,
        -- A subsidy is the rent less the resident's share, each rounded for its days: the resident owes what the days say.
        case
            when lines.line = 'credit' then -case when lines.charged = 'contract_rent' then lines.contract_rent else lines.base_rent end
            when lines.line = 'agency' then lines.contract_rent
        end as gross_amount,
        case
            when lines.line = 'credit' then -greatest(lines.tenant_rent, 0)
            when lines.line = 'agency' then greatest(lines.tenant_rent, 0)
        end as less_amount,
        cast(null as string) as proration_method,
        cast(null as boolean) as prorates,
        lines.valid_from,
        lines.valid_to
    from lines
    left join ranked_codes as own on lines.category = own.category and lines.source_system = own.source_system and own.place = 1
    left join ranked_codes as shared on lines.category = shared.category and shared.source_system = 'default' and shared.place = 1
    where lines.line_amount > 0
),

int_billing__obligations as (
    select * from scheduled
    where valid_to is null or valid_from < valid_to
    union all
    select * from certified
)

select
    obligation_key,
    origin,
    schedule_id,
    certification_id,
    source_system,
    lease_key,
    code_key,
    charge_code,
    ledger_party,
    responsible_person_id,
    concession_id,
    {{ money('amount') }} as amount,
    {{ money('coalesce(gross_amount, amount)') }} as gross_amount,
    {{ money('coalesce(less_amount, 0)') }} as less_amount,
    proration_method,
    prorates,
    valid_from,
    valid_to
from int_billing__obligations
