-- What a unit costs every month on any day, line by line, mandatory and optional apart.
-- Nothing is computed here: the total on a day is the sum of the lines that hold on it.
with int_prices__lines as (
    select * from {{ ref('int_prices__lines') }}
),

unit_price_lines as (
    select
        source_system,
        property_id,
        unit_id,
        unit_number,
        lease_id,
        charge_code,
        name,
        category,
        is_mandatory,
        in_advertised_price,
        amount,
        valid_from,
        valid_to,
        obligation_key
    from int_prices__lines
)

select * from unit_price_lines
