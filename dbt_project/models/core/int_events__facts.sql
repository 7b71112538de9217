-- Every fact that moves an account, in one shape, before time and rules are known: what it is, which account, how much,
-- and which earlier fact it names. One branch per landing table; each says what its table means and nothing else, and
-- as_facts gives all of them one shape.
-- What could go wrong: a sign. Positive raises what is owed, whatever the file wrote.
with stg_charges as (
    select * from {{ ref('stg_charges') }}
),

stg_payments as (
    select * from {{ ref('stg_payments') }}
),

stg_payment_reversals as (
    select * from {{ ref('stg_payment_reversals') }}
),

stg_payment_matches as (
    select * from {{ ref('stg_payment_matches') }}
),

stg_suspense_resolutions as (
    select * from {{ ref('stg_suspense_resolutions') }}
),

stg_refunds_of_credit as (
    select * from {{ ref('stg_refunds_of_credit') }}
),

stg_deposit_movements as (
    select * from {{ ref('stg_deposit_movements') }}
),

stg_write_offs as (
    select * from {{ ref('stg_write_offs') }}
),

stg_transfers as (
    select * from {{ ref('stg_transfers') }}
),

stg_repayment_agreements as (
    select * from {{ ref('stg_repayment_agreements') }}
),

stg_repayment_events as (
    select * from {{ ref('stg_repayment_events') }}
),

agreements as (
    select agreement_key, kind from stg_repayment_agreements where version_no = 1
),

stg_opening_balances as (
    select * from {{ ref('stg_opening_balances') }}
),

stg_entities as (
    select distinct entity_key, entity_id from {{ ref('stg_entities') }}
),

int_events__settlements as (
    select * from {{ ref('int_events__settlements') }}
),

-- A reversal is the exact negative of the whole row it names; a smaller amount is a credit (or a correction) that names it.
charges as (
    select
        'charges' as source_table,
        charges.charge_key as source_key,
        charges.charge_id as source_id,
        case
            when charges.reverses_charge_key is not null and charges.amount = -reversed.amount then 'charge_reversal'
            when charges.amount < 0 then 'credit'
            when coalesce(charges.reverses_charge_key, charges.corrects_charge_key) is not null then 'correction'
            else 'charge'
        end as kind,
        charges.lease_key,
        charges.ledger_party as stated_party,
        case when coalesce(charges.reverses_charge_key, charges.corrects_charge_key) is not null then 'charges' end as names_table,
        coalesce(charges.reverses_charge_key, charges.corrects_charge_key) as names_key,
        coalesce(charges.amount = -reversed.amount, false) as counts_from_named,
        charges.amount,
        charges.posted_on as own_on,
        charges.code_key,
        charges.due_on,
        charges.service_from,
        charges.service_to,
        charges.responsible_person_key,
        charges.source_system,
        charges.written_at,
        charges.is_written_in_utc,
        charges.accepted_at,
        charges.batch_id,
        charges.file,
        charges.row_number
    from stg_charges as charges
    left join stg_charges as reversed on charges.reverses_charge_key = reversed.charge_key
),

-- A payment without a lease belongs to the entity it was paid to: the one it names, else the payee of its account.
payments as (
    select
        'payments' as source_table,
        payments.payment_key as source_key,
        payments.payment_id as source_id,
        'payment' as kind,
        payments.lease_key,
        payments.ledger_party as stated_party,
        case when payments.represents_payment_key is not null then 'payments' end as names_table,
        payments.represents_payment_key as names_key,
        -payments.amount as amount,
        payments.received_on as own_on,
        payments.payer_person_key,
        payments.payer_kind,
        -- Service months without a word mean rent of those months.
        coalesce(payments.designation, case when payments.covers_from is not null or payments.covers_to is not null then 'rent' end) as designation,
        payments.covers_from,
        payments.covers_to,
        payments.settlement_account,
        settlements.settlement_role,
        payments.method,
        coalesce(payments.entity_key, settlements.payee_entity_key) as entity_key,
        payments.source_system,
        payments.written_at,
        payments.is_written_in_utc,
        payments.accepted_at,
        payments.batch_id,
        payments.file,
        payments.row_number
    from stg_payments as payments
    left join int_events__settlements as settlements on payments.payment_key = settlements.payment_key
),

matches as (
    select
        'payment_matches' as source_table,
        payment_key as source_key,
        payment_id as source_id,
        'match' as kind,
        lease_key,
        cast(null as varchar) as stated_party,
        'payments' as names_table,
        payment_key as names_key,
        true as counts_from_named,
        {{ money('0') }} as amount,
        matched_on as own_on,
        source_system,
        written_at,
        is_written_in_utc,
        accepted_at,
        batch_id,
        file,
        row_number
    from stg_payment_matches
),

-- A payment whose lease arrived in a later run was that lease's from the start, unless a close lies between the two: then
-- it is a match known when the lease arrived.
resolutions as (
    select
        'suspense_resolutions' as source_table,
        resolutions.row_key as source_key,
        payments.source_id,
        'match' as kind,
        resolutions.lease_key,
        cast(null as varchar) as stated_party,
        'payments' as names_table,
        resolutions.payment_key as names_key,
        true as counts_from_named,
        {{ money('0') }} as amount,
        payments.own_on,
        payments.source_system,
        cast(null as timestamp) as written_at,
        false as is_written_in_utc,
        resolutions.resolved_at as accepted_at,
        payments.accepted_at as unplaced_at,
        payments.batch_id,
        payments.file,
        payments.row_number
    from stg_suspense_resolutions as resolutions
    inner join payments on resolutions.payment_key = payments.source_key
),

payment_reversals as (
    select
        'payment_reversals' as source_table,
        reversals.reversal_key as source_key,
        reversals.reversal_id as source_id,
        'payment_return' as kind,
        payments.lease_key,
        payments.stated_party,
        'payments' as names_table,
        reversals.payment_key as names_key,
        true as counts_from_named,
        reversals.amount,
        reversals.reversed_on as own_on,
        payments.payer_person_key,
        payments.payer_kind,
        payments.settlement_account,
        payments.settlement_role,
        payments.method,
        reversals.kind as detail_kind,
        payments.entity_key,
        reversals.source_system,
        reversals.written_at,
        reversals.is_written_in_utc,
        reversals.accepted_at,
        reversals.batch_id,
        reversals.file,
        reversals.row_number
    from stg_payment_reversals as reversals
    inner join payments on reversals.payment_key = payments.source_key
),

refunds as (
    select
        'refunds_of_credit' as source_table,
        refund_key as source_key,
        refund_id as source_id,
        'refund_of_credit' as kind,
        lease_key,
        ledger_party as stated_party,
        amount,
        paid_on as own_on,
        paid_on as due_on,
        source_system,
        written_at,
        is_written_in_utc,
        accepted_at,
        batch_id,
        file,
        row_number
    from stg_refunds_of_credit
),

-- Every movement of a deposit has its times here; only an applied one (or its reversal) is an entry on the account.
deposit_movements as (
    select
        'deposit_movements' as source_table,
        movement_key as source_key,
        movement_id as source_id,
        case when kind = 'applied' then 'deposit_applied' else 'deposit_' || kind end as kind,
        lease_key,
        ledger_party as stated_party,
        case
            when reverses_movement_key is not null then 'deposit_movements'
            when charge_key is not null then 'charges'
        end as names_table,
        coalesce(reverses_movement_key, charge_key) as names_key,
        reverses_movement_key is not null as counts_from_named,
        case when kind in ('received', 'interest') then amount else -amount end
        * case when reverses_movement_key is not null then -1 else 1 end as amount,
        occurred_on as own_on,
        case when coalesce(is_rent_deposit, false) then 'rent_deposit' end as detail_kind,
        source_system,
        written_at,
        is_written_in_utc,
        accepted_at,
        batch_id,
        file,
        row_number
    from stg_deposit_movements
),

write_offs as (
    select
        'write_offs' as source_table,
        write_off_key as source_key,
        write_off_id as source_id,
        'write_off' as kind,
        lease_key,
        ledger_party as stated_party,
        case
            when reverses_write_off_key is not null then 'write_offs'
            when charge_key is not null then 'charges'
        end as names_table,
        coalesce(reverses_write_off_key, charge_key) as names_key,
        reverses_write_off_key is not null as counts_from_named,
        case when reverses_write_off_key is not null then amount else -amount end as amount,
        written_off_on as own_on,
        coalesce(is_forgiven, false) as is_forgiven,
        source_system,
        written_at,
        is_written_in_utc,
        accepted_at,
        batch_id,
        file,
        row_number
    from stg_write_offs
),

-- A transfer is two entries with one key: it leaves one account as a source and enters another as something owed.
transfer_sides as (
    select
        *,
        'out' as side,
        from_lease_key as lease_key,
        from_party as stated_party,
        -amount as signed_amount
    from stg_transfers
    where from_lease_key is not null
    union all
    select
        *,
        'in' as side,
        to_lease_key as lease_key,
        to_party as stated_party,
        amount as signed_amount
    from stg_transfers
    where to_lease_key is not null
),

transfers as (
    select
        'transfers' as source_table,
        transfer_key || ':' || side as source_key,
        transfer_id as source_id,
        'transfer' as kind,
        lease_key,
        stated_party,
        case when charge_key is not null then 'charges' end as names_table,
        charge_key as names_key,
        coalesce(agreements.kind = 'back_rent', false) as is_back_rent,
        signed_amount as amount,
        transferred_on as own_on,
        case when side = 'in' then transferred_on end as due_on,
        transfer_sides.kind as detail_kind,
        source_system,
        written_at,
        is_written_in_utc,
        accepted_at,
        batch_id,
        file,
        row_number
    from transfer_sides
    left join agreements on transfer_sides.agreement_key = agreements.agreement_key
),

opening_balances as (
    select
        'opening_balances' as source_table,
        row_key as source_key,
        coalesce(
            opening_id,
            'opening:' || lease_id || ':' || coalesce(ledger_party, 'resident') || ':' || cast(as_of as varchar)
            || ':' || charge_code || coalesce(':' || cast(due_on as varchar), '')
        ) as source_id,
        'opening_balance' as kind,
        lease_key,
        ledger_party as stated_party,
        amount,
        as_of as own_on,
        code_key,
        due_on,
        source_system,
        written_at,
        is_written_in_utc,
        accepted_at,
        batch_id,
        file,
        row_number
    from stg_opening_balances
),

-- Unreported income that a household agrees to pay back is no entry of the ledger: it is owed under the agreement alone.
agreements_signed as (
    select
        'repayment_agreements' as source_table,
        agreement_key as source_key,
        agreement_id as source_id,
        'agreement_signed' as kind,
        lease_key,
        'resident' as stated_party,
        total as amount,
        signed_on as own_on,
        source_system,
        written_at,
        true as is_written_in_utc,
        accepted_at,
        batch_id,
        file,
        row_number
    from stg_repayment_agreements
    where kind = 'unreported_income' and version_no = 1
),

agreements_cancelled as (
    select
        'repayment_events' as source_table,
        events.row_key as source_key,
        events.agreement_id as source_id,
        'agreement_cancelled' as kind,
        signed.lease_key,
        'resident' as stated_party,
        'repayment_agreements' as names_table,
        events.agreement_key as names_key,
        {{ money('0') }} as amount,
        events.occurred_on as own_on,
        events.source_system,
        events.written_at,
        events.is_written_in_utc,
        events.accepted_at,
        events.batch_id,
        events.file,
        events.row_number
    from stg_repayment_events as events
    inner join stg_repayment_agreements as signed
        on events.agreement_key = signed.agreement_key and signed.version_no = 1 and signed.kind = 'unreported_income'
    where events.event = 'cancelled'
),

facts as (
    {{ as_facts('charges', [
        'names_table', 'names_key', 'counts_from_named', 'code_key', 'due_on', 'service_from', 'service_to',
        'responsible_person_key',
    ]) }}
    union all
    {{ as_facts('payments', [
        'names_table', 'names_key', 'payer_person_key', 'payer_kind', 'designation', 'covers_from',
        'covers_to', 'settlement_account', 'settlement_role', 'method', 'entity_key',
    ]) }}
    union all
    {{ as_facts('matches', ['names_table', 'names_key', 'counts_from_named']) }}
    union all
    {{ as_facts('resolutions', ['names_table', 'names_key', 'counts_from_named', 'unplaced_at']) }}
    union all
    {{ as_facts('payment_reversals', [
        'names_table', 'names_key', 'counts_from_named', 'payer_person_key', 'payer_kind',
        'settlement_account', 'settlement_role', 'method', 'detail_kind', 'entity_key',
    ]) }}
    union all
    {{ as_facts('refunds', ['due_on']) }}
    union all
    {{ as_facts('deposit_movements', ['names_table', 'names_key', 'counts_from_named', 'detail_kind']) }}
    union all
    {{ as_facts('write_offs', ['names_table', 'names_key', 'counts_from_named', 'is_forgiven']) }}
    union all
    {{ as_facts('transfers', ['names_table', 'names_key', 'is_back_rent', 'due_on', 'detail_kind']) }}
    union all
    {{ as_facts('opening_balances', ['code_key', 'due_on']) }}
    union all
    {{ as_facts('agreements_signed', []) }}
    union all
    {{ as_facts('agreements_cancelled', ['names_table', 'names_key']) }}
),

int_events__facts as (
    select
        facts.source_table,
        facts.source_key,
        facts.source_id,
        facts.source_system,
        facts.kind,
        facts.detail_kind,
        facts.lease_key,
        facts.stated_party,
        facts.names_table,
        facts.names_key,
        facts.counts_from_named,
        facts.is_back_rent,
        {{ money('facts.amount') }} as amount,
        facts.own_on,
        facts.code_key,
        facts.due_on,
        facts.service_from,
        facts.service_to,
        facts.responsible_person_key,
        facts.payer_person_key,
        facts.payer_kind,
        facts.designation,
        facts.covers_from,
        facts.covers_to,
        facts.is_forgiven,
        facts.settlement_account,
        coalesce(facts.settlement_role, 'cash') as settlement_role,
        facts.method,
        facts.entity_key as stated_entity_key,
        stg_entities.entity_id as stated_entity_id,
        facts.written_at,
        facts.is_written_in_utc,
        facts.accepted_at,
        facts.unplaced_at,
        facts.batch_id,
        facts.file,
        cast(facts.row_number as bigint) as row_number
    from facts
    left join stg_entities on facts.entity_key = stg_entities.entity_key
)

select * from int_events__facts
