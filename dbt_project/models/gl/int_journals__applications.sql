-- What applying money posts: prepaid against the receivable of the party, at the application's own accounting date and
-- in the journal of the event that caused it; a reversed application is the same posting with a negative amount.
-- What could go wrong: an application of a charge into a closed month; its accounting date comes with it from the
-- subledger and is never recomputed here, so that both carry the same day.

with int_allocation__applications as (
    select * from {{ ref('int_allocation__applications') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

applications as (
    select
        applications.application_id,
        applications.amount,
        {{ of_application() }}
    from int_allocation__applications as applications
    inner join int_events__entries as causes
        on causes.event_key = applications.cause_event_key
),

int_journals__applications as (
    select
        {{ posting(
            'applications', "'application:' || applications.application_id", 'applications.amount',
            "'prepaid'", receivable_role('applications')
        ) }}
    from applications
)

select * from int_journals__applications
