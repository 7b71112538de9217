-- All books in one shape. The straight-line book is the accrual book with its own journals beside it, so its lines are not
-- made a second time: a copied journal carries the accrual journal's id behind `sl-`.

with int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

int_journals__books as (
    select * from int_journals__entries
    union all
    select * from {{ ref('int_journals__cash') }}
    union all
    {% set columns = [
        'line_no', 'book', 'entity_key', 'entity_id', 'property_key', 'property_id', 'lease_key', 'lease_id', 'ledger_party', 'account', 'account_name',
        'account_type', 'account_role', 'missing_role', 'debit', 'credit', 'accounting_on', 'entry_on', 'recorded_at', 'event',
        'source_table', 'source_key', 'source_id', 'source_system', 'charge_code', 'batch_id', 'file', 'row_number'
    ] %}
    select
        'sl-' || journal_id as journal_id,
        {% for column in columns %}
        {{ "'straight_line' as book" if column == 'book' else column }}{{ ',' if not loop.last }}
        {% endfor %}
    from int_journals__entries
    union all
    select * from {{ ref('int_journals__straight_line') }}
)

select * from int_journals__books
