-- Which rules speak of each late payment: every law of the place and its ancestors in force on its day and known when
-- the fee was, and the one policy of the operator that is nearest (lease, then property, then its default).
-- What could go wrong: a pending law, a law learned later, or a law whose condition nobody can answer taken as met.
with int_late_fees__cases as (
    select * from {{ ref('int_late_fees__cases') }}
),

rule_late_fees as (
    select * from {{ ref('rule_late_fees') }} where is_eligible
),

rule_late_fee_components as (
    select * from {{ ref('rule_late_fee_components') }}
),

rule_late_fee_conditions as (
    select * from {{ ref('rule_late_fee_conditions') }}
),

-- Places are few: the places that a law covers are looked up once, and a late payment only by its own place.
places as (
    select distinct jurisdiction from int_late_fees__cases
),

candidates as (
    select
        places.jurisdiction,
        2 as distance,
        rules.late_fee_rule_key
    from rule_late_fees as rules
    inner join places on {{ covers_place('rules.jurisdiction', 'places.jurisdiction') }}
    where rules.source = 'law' or (rules.lease_key is null and rules.property_key is null)
    union all
    select
        places.jurisdiction,
        2 as distance,
        rules.late_fee_rule_key
    from rule_late_fees as rules
    cross join places
    where rules.source = 'policy' and rules.jurisdiction is null and rules.lease_key is null and rules.property_key is null
),

reached as (
    select cases.case_key, candidates.late_fee_rule_key, candidates.distance
    from int_late_fees__cases as cases
    inner join candidates on cases.jurisdiction = candidates.jurisdiction
    union all
    select cases.case_key, rules.late_fee_rule_key, 1
    from int_late_fees__cases as cases
    inner join rule_late_fees as rules on cases.property_key = rules.property_key
    where rules.source = 'policy' and rules.lease_key is null
    union all
    select cases.case_key, rules.late_fee_rule_key, 0
    from int_late_fees__cases as cases
    inner join rule_late_fees as rules on cases.lease_key = rules.lease_key
    where rules.source = 'policy'
),

in_force as (
    select
        cases.case_key,
        cases.due_on,
        cases.period_from,
        cases.program,
        cases.tenancy,
        cases.local_office,
        rules.*,
        row_number() over (
            partition by cases.case_key, rules.source
            order by reached.distance, rules.valid_from desc, rules.version desc, rules.late_fee_rule_key
        ) as nearness
    from reached
    inner join int_late_fees__cases as cases on reached.case_key = cases.case_key
    inner join rule_late_fees as rules on reached.late_fee_rule_key = rules.late_fee_rule_key
    where
        {{ holds_on('rules', "case rules.applies_by when 'assessed_on' then cases.assessed_on when 'lease_signed_on' then cases.signed_on else cases.due_on end") }}
        and {{ known_when('rules', 'cases.known_at') }}
        and (rules.program is null or rules.program = cases.program)
),

-- How the operator chose to charge: a law that offers methods holds for the chosen one alone.
methods as (
    select
        in_force.case_key,
        case
            when max(case when parts.kind = 'per_block' then 1 else 0 end) = 1 then 'blocks'
            when max(case when parts.kind = 'per_day' then 1 else 0 end) = 1 then 'daily'
            when count(parts.kind) > 0 then 'flat'
        end as fee_method,
        max(in_force.customary_flat_amount) as customary_flat_amount
    from in_force
    left join rule_late_fee_components as parts on in_force.late_fee_rule_key = parts.late_fee_rule_key
    where in_force.source = 'policy' and in_force.nearness = 1
    group by in_force.case_key
),

on_file as (
    select
        in_force.case_key,
        in_force.late_fee_rule_key,
        conditions.field,
        conditions.op,
        conditions.value,
        case conditions.field
            when 'tenancy' then in_force.tenancy
            when 'local_office' then in_force.local_office
            when 'program' then in_force.program
            when 'fee_method' then methods.fee_method
            -- Rent periods of the product are months.
            when 'rent_frequency' then 'monthly'
        end as value_on_file
    from in_force
    inner join rule_late_fee_conditions as conditions on in_force.late_fee_rule_key = conditions.late_fee_rule_key
    left join methods on in_force.case_key = methods.case_key
),

answers as (
    select
        case_key,
        late_fee_rule_key,
        field,
        case op
            when '=' then value_on_file = value
            when '<>' then value_on_file <> value
            when 'in' then ',' || value || ',' like '%,' || value_on_file || ',%'
        end as is_met
    from on_file
),

answered as (
    select
        case_key,
        late_fee_rule_key,
        max(case when not is_met then 1 else 0 end) as has_unmet,
        max(case when is_met is null then field end) as unknown_field
    from answers
    group by case_key, late_fee_rule_key
),

int_late_fees__rules as (
    select
        in_force.case_key,
        in_force.late_fee_rule_key,
        in_force.source,
        in_force.due_on,
        in_force.period_from,
        methods.fee_method,
        methods.customary_flat_amount,
        answered.unknown_field
    from in_force
    left join answered on in_force.case_key = answered.case_key and in_force.late_fee_rule_key = answered.late_fee_rule_key
    left join methods on in_force.case_key = methods.case_key
    where
        (in_force.source = 'law' or in_force.nearness = 1)
        and coalesce(answered.has_unmet, 0) = 0
)

select * from int_late_fees__rules
