-- The late fees that nothing on file proves right or wrong and nobody waived, in the accounting month of their charge and the entity that books
-- it, counted by property and reason: what whoever closes the month has to have seen.
-- What could go wrong: a fee that cannot be proved counted in no month at all because its rent period is unknown.
with int_late_fees__verdicts as (
    select * from {{ ref('int_late_fees__verdicts') }} where unproven_left > 0
),

int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }} where source_table = 'charges'
),

int_late_fees__unproven as (
    select
        verdicts.source_system,
        entries.entity_id,
        verdicts.property_id,
        {{ period_of('entries.accounting_on') }} as period,
        'late_fee' as figure,
        verdicts.verdict,
        verdicts.reason,
        cast(count(*) as bigint) as figures,
        {{ money('sum(verdicts.unproven_left)') }} as unproven_left,
        min(verdicts.charge_id) as example_id
    from int_late_fees__verdicts as verdicts
    inner join int_ledger__entries as entries on verdicts.charge_key = entries.source_key
    group by
        verdicts.source_system, entries.entity_id, verdicts.property_id, {{ period_of('entries.accounting_on') }},
        verdicts.verdict, verdicts.reason
)

select * from int_late_fees__unproven
