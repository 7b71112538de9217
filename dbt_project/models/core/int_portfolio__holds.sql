-- When everything stops on a lease: holds of its delinquency cases, a row each. A case that names holds without saying
-- when holds from the day it was opened until it was resolved.
-- What could go wrong: a hold on file with no row of its own read as no hold.
with stg_case_holds as (
    select * from {{ ref('stg_case_holds') }}
),

stg_delinquency_cases as (
    select * from {{ ref('stg_delinquency_cases') }}
),

latest_holds as (
    select row_key, max(version_no) as version_no from stg_case_holds group by row_key
),

latest_cases as (
    select row_key, max(version_no) as version_no from stg_delinquency_cases group by row_key
),

cases as (
    select cases.*
    from stg_delinquency_cases as cases
    inner join latest_cases as latest on cases.row_key = latest.row_key and cases.version_no = latest.version_no
),

holds as (
    select holds.*
    from stg_case_holds as holds
    inner join latest_holds as latest on holds.row_key = latest.row_key and holds.version_no = latest.version_no
),

int_portfolio__holds as (
    select
        holds.hold_key,
        cases.lease_key,
        holds.kind,
        holds.valid_from,
        holds.valid_to
    from holds
    inner join cases on holds.case_key = cases.case_key
    union all
    select
        cases.case_key as hold_key,
        cases.lease_key,
        cases.holds as kind,
        cases.opened_on as valid_from,
        cases.resolved_on as valid_to
    from cases
    where coalesce(cases.holds, '') not in ('', '[]') and cases.case_key not in (select holds.case_key from holds)
)

select * from int_portfolio__holds
