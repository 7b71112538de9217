-- The terms of a lease that money is applied by (due day, program, billing, move-out), as the books knew them at each moment.
-- Exactly one version is in the books at any time; the first counts for everything earlier.
with stg_leases as (
    select * from {{ ref('stg_leases') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

{{ known_versions('stg_leases', 'int_closes__periods', ['lease_key'], valid_from='start_on') }},

int_portfolio__lease_terms as (
    select
        cast(row_number() over (order by lease_key, row_key, version_no) as bigint) as terms_key,
        lease_key,
        property_key,
        property_id,
        coalesce(program, 'market') as program,
        coalesce(billing, 'joint') as billing,
        coalesce(rent_due_day, 1) as rent_due_day,
        move_out_on,
        known_from,
        known_to
    from known_versions
)

select * from int_portfolio__lease_terms
