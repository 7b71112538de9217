-- Concessions with the term they are earned over, a row per version, as the books knew them at each moment.
-- At most one version is in the books at any time; the first counts for everything earlier, unless a month that its term
-- reaches was closed without it: then it is known from when it came, or its shares would slip under that close.
with stg_concessions as (
    select * from {{ ref('stg_concessions') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

{{ known_versions('stg_concessions', 'int_closes__periods', ['concession_key'], valid_from='term_from', falls_back='unless_reached') }},

int_portfolio__concessions as (
    select
        concession_key,
        concession_id,
        source_system,
        lease_key,
        lease_id,
        kind,
        total_amount,
        schedule_key,
        term_from,
        term_to,
        coalesce(is_repayable, false) as is_repayable,
        known_from,
        known_to,
        cast(place as integer) as place,
        batch_id,
        file,
        row_number
    from known_versions
)

select * from int_portfolio__concessions
