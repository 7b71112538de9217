"""Applying money: which charge each payment, credit, deposit and write-off paid, and when that became known.

The problem
    What a payment pays depends on everything before it, on the law of the place and on the operator's policy of that
    day. Payments come back, charges are reversed, cheques are keyed a week late. And nothing that was once reported may
    change: a late fact is answered by new rows, never by an edit.

The observations that make it simple
    1. The allocation of one account is a pure function of the events known at a moment, taken in business order, and
       the rules. Accounts do not touch each other.
    2. The journal is the sequence of differences between the allocations of one moment of knowledge and the next. So
       the sum of rows with applied_on <= D and known_at <= K is the allocation as of D known at K, for every D and K.
    3. Only accounts with late facts are ever played again, and only from the day of the late fact.

The order of steps
    `rules` (JSON to steps), `inputs` (Arrow to checked arrays, with `ordering`), `arrays` (text to numbers), `loop`
    (play the events of one account), `journal` (what each moment changed), `kernel` (buffers, chunks, threads),
    `outputs` (numbers to Arrow). `streaming` does all of it for one range of accounts after another. `reference` is the
    twin: the same rules in plain Python, replaying everything at every moment; it gives the same table row for row.
    `words` and `compiled` serve the compiled modules.

What it refuses
    Rules and events that cannot mean anything: see `rules` and `inputs`. Errors name rule and step, account and event.

What was chosen where the rules for applying money leave room
    - Waiting money is tried again, oldest first, after every event, not only when a charge posts: fee money that waits
      behind open rent goes as soon as the rent is paid. Else it would wait for ever, since the next charge is rent.
    - A source that is tried again first pays what it is for again, then goes by the rule of the event being played.
    - A credit that names a charge goes to it, whatever rule, law or hold says; if there is nothing open there, it goes
      on by the rule. A deposit or transfer that names a charge does the same.
    - A write-off that names a charge pays that charge only. One that names none takes what is due on or before its date
      in the order of the rule; a policy's hold does not keep it back, because it is not money.
    - A step for designated money only is passed by by undesignated payments, concessions and subsidy credits; the first
      step that fits takes a charge, so a later `any` does not let them in again.
    - Designated money waits while something is open in an earlier step of a law that does not yield, but not because of
      a step for designated money only, and not because of what a roommate owes.
    - A step of the law without a matching step of the policy takes its own order; where a step of the policy fits, that
      step's order holds inside the step of the law.
    - Rent of a later period is neither prior nor current. Service months hold a charge whose service_from (else due
      date) falls in them, both ends included.
    - On individually billed leases a credit given to a person stays with that person, as their money does.
    - A recovery takes written-off charges in the order of the rule, as far as the payer may pay them at all; of one
      charge the newest write-off is undone first. If the payment comes back, the charge is open and owed; the recovery
      stands until a new write-off. If the write-off itself is undone, the recovery is undone with it.
    - Of a write-off undone in part, what waits goes first, then what it paid, newest first, last what was recovered.
    - Rows that pay what a source is for, take waiting money for a refund, or reverse a row have no step. Steps count
      from 1; one more than there are is the implied last step.
    - Corrections of one moment come newest first, before its new rows.
"""

from __future__ import annotations

import pyarrow as pa

from dbt_project.kernels.allocation.inputs import EVENTS_SCHEMA, InputError, read_events
from dbt_project.kernels.allocation.kernel import journal_lines
from dbt_project.kernels.allocation.outputs import OUTPUT_SCHEMA, journal_table
from dbt_project.kernels.allocation.reference import allocate_reference
from dbt_project.kernels.allocation.rules import RULES_SCHEMA, RuleError, parse_rules
from dbt_project.kernels.allocation.streaming import allocate_stream


def allocate(events: pa.Table, rules: pa.Table, threads: int = 1) -> pa.Table:
    """Apply the money of every account and return the growing journal.

    Args:
        events: one row per entry, columns of EVENTS_SCHEMA, in any order. Amounts are int64 minor units, positive where
            they raise what is owed; days are dates, `known_at` is naive UTC in microseconds. The rule keys are the law
            and policy in force on `business_on`, as known at `known_at`.
        rules: columns of RULES_SCHEMA: the rules that events name.
        threads: how many chunks of accounts to play at once. The result does not depend on it.

    Returns:
        One row per application, recovery, reversal or correction, columns of OUTPUT_SCHEMA, in the order of knowledge
        (`known_at`, then account, then play). `journal_seq` numbers the whole table from 1 and shifts when an account
        is added: ids are made from the row's key, `occurrence` and `known_at` instead. A recovery has the payment as
        source and the write-off as target.

    Raises:
        RuleError: a rule cannot be read.
        InputError: an event cannot be played.
    """
    parsed = parse_rules(rules)
    read = read_events(events, parsed)
    return journal_table(read, journal_lines(read, parsed, threads))


__all__ = [
    "EVENTS_SCHEMA",
    "OUTPUT_SCHEMA",
    "RULES_SCHEMA",
    "InputError",
    "RuleError",
    "allocate",
    "allocate_reference",
    "allocate_stream",
]
