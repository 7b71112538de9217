"""The growing journal: what each new piece of knowledge changes, and nothing else.

The problem. A cheque of the 3rd is keyed on the 10th, after a payment of the 5th was applied. The books must show the
allocation as it now is, and also, for ever, as it was known on the 9th. So nothing is edited: rows that no longer hold
are taken back by correction rows with the same `applied_on` and the new `known_at`, and the new rows follow. Then the
sum of rows with applied_on <= D and known_at <= K is the allocation as of D as known at K, for every D and K.

The observations that make it simple.
1. What is known at one moment is one step. Steps are taken in the order of knowledge.
2. If nothing of a step stands before what was played already, its events are simply played on: no comparison at all.
3. Otherwise the account is rewound to the earliest of them (the log of the loop), and only rows made from there on can
   differ. Those of before the rewind and those of after it are compared.
4. Two rows are the same if source, target, amount, applied_on, rules and the row reversed are the same, and they are
   the same one in order of play. So the first unmatched old row with the same key is the match.

The order of steps. Sort the account by knowledge; for each step: mark its events as known; rewind if need be; play;
match; write corrections, newest first; write new rows in order of play.

A full buffer ends the call at the start of an account: the caller takes what is there, or gives more room, and resumes.
"""

from __future__ import annotations

from dbt_project.kernels.allocation.compiled import entry, fast
from dbt_project.kernels.allocation.loop import (
    BASE,
    CORRECTED,
    DAY,
    FULL,
    KNOWN,
    LAW,
    LINES,
    LOG,
    POLICY,
    R_AMOUNT,
    R_AT,
    R_KIND,
    R_LAW_STEP,
    R_LINE,
    R_OCCURRENCE,
    R_POLICY_STEP,
    R_REASON,
    R_REVERSES,
    R_SOURCE,
    R_TARGET,
    ROW_COLUMNS,
    ROWS,
    SIZE,
    empty_account,
    play_event,
    rewind,
)
from dbt_project.kernels.allocation.ordering import sort_by
from dbt_project.kernels.allocation.words import (
    J_AMOUNT,
    J_AT,
    J_CAUSE,
    J_KIND,
    J_KNOWN,
    J_LAW_STEP,
    J_OCCURRENCE,
    J_POLICY_STEP,
    J_REASON,
    J_REVERSES,
    J_SOURCE,
    J_TARGET,
)

# What a call came back with.
DONE, SCRATCH_FULL, LINES_FULL = range(3)  # also what control[FULL] says


@fast
def write_line(lines, control, rows, row, known, reverses, cause, corrects):
    """Write one row to the journal, or (`corrects`) the row that takes it back."""
    at = control[LINES]
    if at >= lines.shape[1]:
        control[FULL] = LINES_FULL
        return
    base = control[BASE]
    amount = rows[row, R_AMOUNT]
    lines[J_KIND, at] = rows[row, R_KIND]
    lines[J_SOURCE, at] = base + rows[row, R_SOURCE]
    lines[J_TARGET, at] = base + rows[row, R_TARGET]
    lines[J_AMOUNT, at] = -amount if corrects else amount
    lines[J_AT, at] = base + rows[row, R_AT]
    lines[J_KNOWN, at] = known
    lines[J_LAW_STEP, at] = 0 if corrects else rows[row, R_LAW_STEP]
    lines[J_POLICY_STEP, at] = 0 if corrects else rows[row, R_POLICY_STEP]
    lines[J_REVERSES, at] = reverses
    lines[J_REASON, at] = CORRECTED if corrects else rows[row, R_REASON]
    lines[J_CAUSE, at] = base + cause
    lines[J_OCCURRENCE, at] = rows[row, R_OCCURRENCE]
    rows[row, R_LINE] = at
    control[LINES] = at + 1


@fast
def same_row(events, base, rows, new, old_rows, old, reverses):
    """Whether two rows are one, given what the new one reverses in terms of the old play."""
    if (
        rows[new, R_SOURCE] != old_rows[old, R_SOURCE]
        or rows[new, R_TARGET] != old_rows[old, R_TARGET]
        or rows[new, R_AMOUNT] != old_rows[old, R_AMOUNT]
        or rows[new, R_KIND] != old_rows[old, R_KIND]
        or reverses != old_rows[old, R_REVERSES]
    ):
        return False
    a = base + rows[new, R_AT]
    b = base + old_rows[old, R_AT]
    return (
        events[DAY, a] == events[DAY, b] and events[POLICY, a] == events[POLICY, b] and events[LAW, a] == events[LAW, b]
    )


@fast
def match_rows(events, rows, old_rows, control, first, old_count, match, taken):
    """For each row since `first`, the old row that it is, or -1; and which old rows were found again."""
    base = control[BASE]
    for old in range(old_count):
        taken[old] = 0
    lowest = 0
    for new in range(first, control[ROWS]):
        match[new - first] = -1
        reverses = rows[new, R_REVERSES]
        if reverses >= first:
            # It reverses a row of this play: which row of the old play is that? None: then this row is new as well.
            found = match[reverses - first]
            if found < 0:
                continue
            reverses = first + found
        while lowest < old_count and taken[lowest] == 1:
            lowest += 1
        for old in range(lowest, old_count):
            if taken[old] == 0 and same_row(events, base, rows, new, old_rows, old, reverses):
                match[new - first] = old
                taken[old] = 1
                break


@fast
def write_step(events, rows, old_rows, lines, control, first, old_count, match, taken, moment, cause):
    """What one step of knowledge changed: corrections, newest first, then new rows in order of play."""
    if control[FULL]:
        return
    match_rows(events, rows, old_rows, control, first, old_count, match, taken)
    for at in range(old_count + control[ROWS] - first):
        corrects = at < old_count
        row = old_count - 1 - at if corrects else first + at - old_count
        if corrects:
            if taken[row] == 0:
                write_line(lines, control, old_rows, row, moment, old_rows[row, R_LINE], cause, corrects)
        elif match[row - first] >= 0:
            rows[row, R_LINE] = old_rows[match[row - first], R_LINE]
        else:
            at_event = rows[row, R_AT]
            because = at_event if events[KNOWN, control[BASE] + at_event] == moment else cause
            reverses = rows[row, R_REVERSES]
            if reverses >= 0:
                reverses = rows[reverses, R_LINE]
            write_line(lines, control, rows, row, moment, reverses, because, corrects)


@entry
def run(events, rules, state, log, rows, old_rows, lines, control, scratch, starts, account):
    """Journals of the accounts from `account` on. `starts` holds where each starts, and the end of the last.

    Returns (account to resume at, DONE | SCRATCH_FULL | LINES_FULL); the lines written are `control[LINES]`.
    """
    order = scratch[0]
    known = scratch[1]
    row_mark = scratch[2]
    log_mark = scratch[3]
    match = scratch[4]
    taken = scratch[5]
    control[FULL] = 0
    while account < len(starts) - 1 and control[FULL] == 0:
        lines_before = control[LINES]
        base = starts[account]
        count = starts[account + 1] - base
        control[BASE] = base
        control[SIZE] = count + 1
        empty_account(state, control)
        for at in range(count):
            order[at] = at
            known[at] = 0
        # Where knowledge came in business order, nothing will ever have to be rewound.
        in_order = sort_by(events[KNOWN], base, order, match, 0, count)
        played = -1  # the last position played
        start = 0
        while start < count and control[FULL] == 0:
            moment = events[KNOWN, base + order[start]]
            end = start
            while end < count and events[KNOWN, base + order[end]] == moment:
                end += 1
            cause = order[start]
            first = control[ROWS]
            old_count = 0
            if cause < played:
                # Something stands before what was played: rewind to the first event after it.
                back = cause
                while known[back] == 0:
                    back += 1
                first = row_mark[back]
                old_count = control[ROWS] - first
                for row in range(old_count):
                    for column in range(ROW_COLUMNS):
                        old_rows[row, column] = rows[first + row, column]
                rewind(state, log, control, log_mark[back])
                control[ROWS] = first
            for at in range(start, end):
                known[order[at]] = 1
            played = max(played, order[end - 1])
            for at in range(cause, played + 1):
                if known[at] == 1 and control[FULL] == 0:
                    if in_order:
                        control[LOG] = 0
                    row_mark[at] = control[ROWS]
                    log_mark[at] = control[LOG]
                    play_event(events, rules, state, log, rows, control, at)
            write_step(events, rows, old_rows, lines, control, first, old_count, match, taken, moment, cause)
            start = end
        if control[FULL]:
            control[LINES] = lines_before
        else:
            account += 1
    return account, control[FULL]
