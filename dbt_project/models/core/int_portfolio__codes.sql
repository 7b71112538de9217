-- Charge codes with their classes, a row per version: what a code meant on a day, as the books knew it at a moment.
-- Where ranges overlap the later start wins; a day before the first range is read with the first.
with stg_charge_codes as (
    select * from {{ ref('stg_charge_codes') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

{{ known_versions('stg_charge_codes', 'int_closes__periods', ['code_key']) }},

int_portfolio__codes as (
    select
        cast(row_number() over (order by code_key, coalesce(valid_from, date '0001-01-01'), row_key, version_no) as bigint) as code_version_key,
        code_key,
        charge_code,
        source_system,
        name,
        category,
        counts_as_rent,
        cast(application_priority as integer) as application_priority,
        is_mandatory,
        is_recurring,
        in_advertised_price,
        prorates,
        classified_by,
        coalesce(valid_from, date '0001-01-01') as valid_from,
        valid_to,
        known_from,
        known_to,
        cast(place as integer) as place
    from known_versions
)

select * from int_portfolio__codes
