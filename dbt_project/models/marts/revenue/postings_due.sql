-- What a posting run as of the day of the build would post, and why it would leave the rest: one list for both kinds.
-- Nothing is computed here; `tieout post` writes what has no skip code.
with int_postings__recurring as (
    select * from {{ ref('int_postings__recurring') }}
),

int_postings__late_fees as (
    select * from {{ ref('int_postings__late_fees') }}
),

postings_due as (
    select * from int_postings__recurring
    union all
    select * from int_postings__late_fees
)

select
    kind,
    line_key,
    source_system,
    property_id,
    time_zone,
    lease_id,
    unit_number,
    charge_code,
    ledger_party,
    responsible_person_id,
    schedule_id,
    concession_id,
    period_from,
    service_from,
    service_to,
    due_on,
    posted_on,
    amount,
    proration_method,
    corrects_charge_id,
    skip_code,
    reason
from postings_due
