-- What a unit costs every month, by date: each obligation of its leases, cut where the class of its code changes.
-- The price on a day is the sum of the lines that hold on it, mandatory and optional apart.
-- What could go wrong: a line counted twice because two versions of a code overlap on a day.
with int_billing__obligations as (
    select * from {{ ref('int_billing__obligations') }} where ledger_party = 'resident'
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }} where known_to is null
),

codes as (
    select
        code_key,
        case when row_number() over (partition by code_key order by valid_from, code_version_key) = 1 then date '0001-01-01' else valid_from end as valid_from,
        lead(valid_from) over (partition by code_key order by valid_from, code_version_key) as valid_to,
        name,
        category,
        is_mandatory,
        in_advertised_price
    from int_portfolio__codes
),

int_prices__lines as (
    select
        obligations.obligation_key,
        obligations.source_system,
        leases.property_id,
        leases.unit_id,
        leases.unit_number,
        leases.lease_id,
        obligations.charge_code,
        codes.name,
        codes.category,
        codes.is_mandatory,
        codes.in_advertised_price,
        obligations.amount,
        greatest(obligations.valid_from, codes.valid_from, leases.start_on) as valid_from,
        {{ earlier_of(earlier_of('obligations.valid_to', 'codes.valid_to'), add_days('coalesce(leases.move_out_on, leases.end_on)', 1)) }} as valid_to
    from int_billing__obligations as obligations
    inner join int_portfolio__leases as leases on obligations.lease_key = leases.lease_key
    inner join codes on obligations.code_key = codes.code_key
    where
        (codes.valid_to is null or obligations.valid_from < codes.valid_to)
        and (obligations.valid_to is null or codes.valid_from < obligations.valid_to)
)

select * from int_prices__lines
where valid_to is null or valid_from < valid_to
