"""The words of the kernel and the numbers that stand for them in compiled code.

The compiled modules take their constants from here and from nowhere else, because a constant that changes must change
the machine code that is kept on disk (see `compiled`).
"""

from __future__ import annotations

KINDS = (
    "opening_balance",
    "charge",
    "credit",
    "charge_reversal",
    "payment",
    "payment_return",
    "refund_of_credit",
    "deposit_applied",
    "write_off",
    "transfer",
    "correction",
)
OPENING, CHARGE, CREDIT, REVERSAL, PAYMENT, RETURN, REFUND, DEPOSIT, WRITE_OFF, TRANSFER, CORRECTION = range(11)

# What an event does when it is played. Kind and sign decide.
TARGET, SOURCE, UNDO = 0, 1, 2

DESIGNATIONS = ("rent", "fees", "written_off", "code")
FEE_CATEGORIES = ("fee", "late_fee", "nsf_fee", "legal")  # what money designated to `fees` may pay
LOWERING_CATEGORIES = ("concession", "subsidy")  # credits of these lower the rent of their period

ORDERS = ("oldest_due", "newest_due", "largest_open", "priority")
PERIODS = ("prior", "current")
MAX_STEPS = 62  # steps are the bits of one int64 in the compiled loop, and the implied last step needs one of them

# A line of the journal as the compiled code writes it, a row per column. Events are positions in the chunk; J_REVERSES
# is a line or -1; J_LAW_STEP and J_POLICY_STEP count from 1, 0 is none; J_KIND and J_REASON are places in words below.
J_KIND, J_SOURCE, J_TARGET, J_AMOUNT, J_AT, J_KNOWN, J_LAW_STEP, J_POLICY_STEP = range(8)
J_REVERSES, J_REASON, J_CAUSE, J_OCCURRENCE = range(8, 12)
LINE_COLUMNS = 12

ROW_KINDS = ("application", "recovery")
REASONS = (None, "return", "charge_reversal", "correction", "recovery")
