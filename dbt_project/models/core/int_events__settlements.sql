-- Who a payment was paid to, and what kind of account it settles on: the collection arrangement in force on the day it
-- came, of its own source system or of default; that of its own property if several share the account. The first version
-- of an arrangement counts for ever, because a corrected arrangement moves no money that was booked. A payment without a
-- settlement account has no row.
with stg_payments as (
    select * from {{ ref('stg_payments') }}
),

stg_leases as (
    select lease_key, max(property_key) as property_key from {{ ref('stg_leases') }} group by lease_key
),

arrangements as (
    select
        settlement_account,
        property_key,
        payee_entity_key,
        coalesce(is_trust_account, false) as is_trust_account,
        returns_borne_by,
        source_system,
        coalesce(valid_from, date '0001-01-01') as valid_from,
        valid_to,
        row_key
    from {{ ref('stg_collection_arrangements') }}
    where version_no = 1
),

candidates as (
    select
        payments.payment_key,
        arrangements.payee_entity_key,
        case
            when arrangements.returns_borne_by = 'platform' then 'clearing'
            when arrangements.is_trust_account then 'trust_cash'
            else 'cash'
        end as settlement_role,
        row_number() over (
            partition by payments.payment_key
            order by
                case when arrangements.property_key = leases.property_key then 0 else 1 end,
                case when arrangements.source_system = payments.source_system then 0 else 1 end,
                arrangements.valid_from desc, arrangements.row_key
        ) as place
    from stg_payments as payments
    inner join arrangements
        on
            payments.settlement_account = arrangements.settlement_account
            and arrangements.source_system in (payments.source_system, 'default')
            and {{ holds_on('arrangements', 'payments.received_on') }}
    left join stg_leases as leases on payments.lease_key = leases.lease_key
),

int_events__settlements as (
    select
        payment_key,
        payee_entity_key,
        settlement_role
    from candidates
    where place = 1
)

select * from int_events__settlements
