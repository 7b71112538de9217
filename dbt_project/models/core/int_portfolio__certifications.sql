-- What a subsidy program certified for a household, each from its day to the day of the next: a row per certification
-- that rules any day. Of two for one day the one that was known later holds.
-- What could go wrong: a backdated certification that leaves the one it replaces in force beside it.
with stg_rent_certifications as (
    select * from {{ ref('stg_rent_certifications') }}
),

ranked as (
    select
        stg_rent_certifications.*,
        row_number() over (partition by lease_key, effective_on order by coalesce(written_at, accepted_at) desc, certification_id desc) as place
    from stg_rent_certifications
),

int_portfolio__certifications as (
    select
        certification_key,
        certification_id,
        source_system,
        lease_key,
        lease_id,
        contract_rent,
        base_rent,
        tenant_rent,
        utility_reimbursement,
        effective_on as valid_from,
        lead(effective_on) over (partition by lease_key order by effective_on) as valid_to,
        min(effective_on) over (partition by lease_key) as first_effective_on
    from ranked
    where place = 1
)

select * from int_portfolio__certifications
