-- What the books held of a concession at each moment: its worth, its term, and whether its lease had ended before the term.
-- An end counts from its own day, or from the moment it became known if that was later. A row per concession and moment
-- at which one of these changed. What could go wrong: two versions known at one moment; the later of them counts.

with int_portfolio__concessions as (
    select * from {{ ref('int_portfolio__concessions') }}
),

int_portfolio__lease_terms as (
    select * from {{ ref('int_portfolio__lease_terms') }}
),

concession_leases as (
    select distinct
        concession_key,
        lease_key
    from int_portfolio__concessions
),

terms as (
    select
        concession_leases.concession_key,
        terms.lease_key,
        terms.property_key,
        terms.property_id,
        terms.move_out_on,
        terms.known_from,
        terms.known_to,
        coalesce(terms.known_from, timestamp '0001-01-01 00:00:00') as since_at,
        greatest(
            coalesce(terms.known_from, timestamp '0001-01-01 00:00:00'), cast(terms.move_out_on as timestamp)
        ) as ended_at
    from concession_leases
    inner join int_portfolio__lease_terms as terms on concession_leases.lease_key = terms.lease_key
),

moments as (
    select
        concession_key,
        coalesce(known_from, timestamp '0001-01-01 00:00:00') as moment
    from int_portfolio__concessions
    union
    select
        concession_key,
        since_at
    from terms
    union
    select
        concession_key,
        ended_at
    from terms
    where move_out_on is not null and (known_to is null or ended_at < known_to)
),

held as (
    select
        moments.concession_key,
        moments.moment,
        concessions.concession_id,
        concessions.source_system,
        concessions.lease_key,
        concessions.lease_id,
        concessions.kind,
        concessions.total_amount,
        concessions.term_from,
        concessions.term_to,
        concessions.is_repayable,
        concessions.batch_id,
        concessions.file,
        concessions.row_number,
        terms.property_key,
        terms.property_id,
        case
            when terms.ended_at <= moments.moment and terms.move_out_on < concessions.term_to then terms.move_out_on
        end as ended_on,
        row_number() over (
            partition by moments.concession_key, moments.moment
            order by concessions.place desc, terms.since_at desc
        ) as rank_at_moment
    from moments
    inner join int_portfolio__concessions as concessions
        on
            moments.concession_key = concessions.concession_key
            and {{ known_when('concessions', 'moments.moment') }}
    inner join terms
        on
            moments.concession_key = terms.concession_key
            and {{ known_when('terms', 'moments.moment') }}
),

int_concessions__states as (
    select
        concession_key,
        concession_id,
        source_system,
        lease_key,
        lease_id,
        property_key,
        property_id,
        kind,
        total_amount,
        term_from,
        term_to,
        is_repayable,
        ended_on,
        moment as known_from,
        lead(moment) over (partition by concession_key order by moment) as known_to,
        cast(row_number() over (partition by concession_key order by moment) as integer) as state_no,
        batch_id,
        file,
        row_number
    from held
    where rank_at_moment = 1
)

select * from int_concessions__states
