-- Rent month by month as a court would ask for it: every payment on the earliest rent owing.
select
    period_from,
    period_to,
    rent_charged,
    rent_paid,
    rent_owing,
    excluded_charges,
    claimable
from arrears_by_month
where source_system = $source_system
    and lease_id = $lease_id
    and forum = 'earliest_rent'
order by period_from
