-- What the law of a place counts as rent, per purpose and per category or single charge code, on two time axes.
-- It outranks what the operator's charge code says of itself. A row that says neither rent nor not rent answers another
-- question (may it be demanded) and is not read when money is applied.
with stg_charge_treatments as (
    select * from {{ ref('stg_charge_treatments') }}
),

effective_closes as (
    select * from {{ ref('rule_closes') }} where refused_because is null
),

{{ known_versions('stg_charge_treatments', 'effective_closes', ['row_key'], falls_back=false) }},

rule_charge_treatments as (
    select
        cast(row_number() over (order by jurisdiction, purpose, category, charge_code, valid_from, row_key, version_no) as integer) as treatment_key,
        jurisdiction,
        purpose,
        category,
        charge_code,
        treatment,
        reason,
        citation,
        coalesce(valid_from, date '0001-01-01') as valid_from,
        valid_to,
        known_from,
        known_to
    from known_versions
)

select * from rule_charge_treatments
