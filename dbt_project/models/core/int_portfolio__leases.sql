-- Leases as they are described now, with the names of the people who hold them.
-- Nothing is applied by this table: the terms that money follows are in int_portfolio__lease_terms.
with stg_leases as (
    select * from {{ ref('stg_leases') }}
),

stg_units as (
    select * from {{ ref('stg_units') }}
),

stg_lease_parties as (
    select * from {{ ref('stg_lease_parties') }}
),

stg_persons as (
    select * from {{ ref('stg_persons') }}
),

latest_leases as (
    select row_key, max(version_no) as version_no from stg_leases group by row_key
),

units as (
    select unit_key, max_by(unit_number, version_no) as unit_number, max_by(structure_units, version_no) as structure_units from stg_units group by unit_key
),

persons as (
    select person_key, max_by(name, version_no) as name from stg_persons group by person_key
),

residents as (
    select
        stg_lease_parties.lease_key,
        {{ joined_texts('persons.name') }} as resident_names
    from stg_lease_parties
    inner join persons on stg_lease_parties.person_key = persons.person_key
    where stg_lease_parties.role = 'leaseholder'
    group by stg_lease_parties.lease_key
),

int_portfolio__leases as (
    select
        stg_leases.lease_key,
        stg_leases.lease_id,
        stg_leases.source_system,
        stg_leases.property_key,
        stg_leases.property_id,
        stg_leases.unit_id,
        units.unit_number,
        coalesce(stg_leases.program, 'market') as program,
        coalesce(stg_leases.billing, 'joint') as billing,
        stg_leases.start_on,
        stg_leases.end_on,
        stg_leases.move_in_on,
        stg_leases.move_out_on,
        coalesce(stg_leases.rent_due_day, 1) as rent_due_day,
        residents.resident_names,
        cast(units.structure_units as integer) as structure_units,
        stg_leases.notice_on,
        coalesce(stg_leases.signed_on, stg_leases.start_on) as signed_on,
        coalesce(stg_leases.tenancy, 'residential') as tenancy,
        coalesce(stg_leases.proration_method, 'actual_days_month') as proration_method,
        coalesce(stg_leases.prorated_month, 'first') as prorated_month,
        coalesce(stg_leases.charges_move_in_day, true) as is_move_in_day_charged,
        coalesce(stg_leases.charges_move_out_day, true) as is_move_out_day_charged
    from stg_leases
    inner join latest_leases on stg_leases.row_key = latest_leases.row_key and stg_leases.version_no = latest_leases.version_no
    left join units on stg_leases.unit_key = units.unit_key
    left join residents on stg_leases.lease_key = residents.lease_key
)

select * from int_portfolio__leases
