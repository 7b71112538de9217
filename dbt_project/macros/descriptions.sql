{#- What a resident reads on a ledger line: the code's plain name, or the kind of money in plain words. Never an internal note. -#}
{% macro entry_description(entry) -%}
    case
        when {{ entry }}.kind = 'opening_balance' then 'Opening balance' || coalesce(': ' || {{ entry }}.code_name, '')
        when {{ entry }}.kind = 'charge_reversal' then 'Reversed' || coalesce(': ' || {{ entry }}.code_name, '')
        when {{ entry }}.kind = 'correction' then 'Correction' || coalesce(': ' || {{ entry }}.code_name, '')
        when {{ entry }}.kind in ('charge', 'credit') then {{ entry }}.code_name
        when {{ entry }}.kind = 'payment' then 'Payment' || coalesce(' (' || replace({{ entry }}.method, '_', ' ') || ')', '')
        when {{ entry }}.kind = 'payment_return' and {{ entry }}.detail_kind = 'return' then 'Payment returned'
        when {{ entry }}.kind = 'payment_return' and {{ entry }}.detail_kind = 'chargeback' then 'Payment charged back'
        when {{ entry }}.kind = 'payment_return' and {{ entry }}.detail_kind = 'refund' then 'Payment refunded'
        when {{ entry }}.kind = 'payment_return' then 'Payment corrected'
        when {{ entry }}.kind = 'refund_of_credit' then 'Refund of credit'
        when {{ entry }}.kind = 'deposit_applied' and {{ entry }}.amount > 0 then 'Deposit application reversed'
        when {{ entry }}.kind = 'deposit_applied' then 'Deposit applied'
        when {{ entry }}.kind = 'write_off' and {{ entry }}.amount > 0 then 'Write-off reversed'
        when {{ entry }}.kind = 'write_off' then 'Written off'
        when {{ entry }}.kind = 'transfer' and {{ entry }}.detail_kind = 'agreement_out' then 'Moved to repayment agreement'
        when {{ entry }}.kind = 'transfer' and {{ entry }}.detail_kind = 'agreement_instalment' then 'Repayment agreement instalment'
        when {{ entry }}.kind = 'transfer' and {{ entry }}.detail_kind = 'agreement_end' then 'Repayment agreement ended'
        else 'Transfer'
    end
{%- endmacro %}
