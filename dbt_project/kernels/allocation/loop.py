"""The one sequential loop: play the events of one account in business order.

The problem. What a payment pays depends on what everything before it paid. No set logic keeps up with returns, freed
money and recoveries, and an account has to be played again from an earlier day whenever something becomes known late.

The observations that make it simple.
1. All state is integers, and all of it lives in one array (`state`). Every change goes through `put`, which writes the
   address and the old value on a log. So "play again from the 3rd" is: read the log backwards, then play on.
2. Two lists are enough: open targets, by due date, posting date and id; waiting sources, oldest first. Both are linked
   lists inside `state`, so the log undoes them too.
3. The step of a rule that takes a target is the lowest bit of a mask that was worked out once per rule and class of
   charge, less the steps that ask for another rent period or another payer.
4. Rows are a stack. Each knows the row made before it for the same source, and for the same target; "newest first" is
   a walk down that chain.

The order of steps (`play_event`). A target opens (a refund first takes waiting money); a source waits with its whole
amount and is spent; an undoing closes a target or takes a source's money back. Then every waiting source is tried,
oldest first.

What it refuses. Nothing: `inputs` has checked. Where a buffer is too small it sets FULL, writes no further, and the
caller gives a larger one: an array that grows inside compiled code costs an order of magnitude.

Arrays. `events` int64 [columns, events]: the columns below, of one chunk. `rules` int64 [rules, columns]. Positions are
inside the account; `control[BASE]` is where the account starts.
"""

from __future__ import annotations

import numpy as np

from dbt_project.kernels.allocation.compiled import fast
from dbt_project.kernels.allocation.words import (
    CORRECTION,
    CREDIT,
    DESIGNATIONS,
    MAX_STEPS,
    ORDERS,
    PAYMENT,
    REASONS,
    REFUND,
    REVERSAL,
    SOURCE,
    TARGET,
    WRITE_OFF,
)

# -- columns of `events` ---------------------------------------------------------------------------------------------
# NAMED is a position in the account or -1; HAS_NAME says that it names something, even in another account.
# Days are days since 1970, KNOWN is microseconds. Text is an id that is equal where the text is, -1 where none.
# PERSON is whose money a source is, RESPONSIBLE whose charge a target is. DESIGNATION is -1 where there is none.
# LOWERS_RENT: a concession, a subsidy credit or a correction of either. TENDERED: passed by by designated-only steps.
KIND, ROLE, AMOUNT, DAY, KNOWN, NAMED, HAS_NAME, DUE, POSTED, TIE, KEY = np.arange(11)
CLASS, IS_RENT, IS_FEE, CODE, PRIORITY, PERIOD, CURRENT_PERIOD, SERVICE_DAY = np.arange(11, 19)
RESPONSIBLE, PERSON, INDIVIDUAL, DESIGNATION, DESIGNATED_CODE, COVERS_FROM, COVERS_TO = np.arange(19, 26)
FORGIVEN, AFTER_MOVE_OUT, POLICY, LAW, LOWERS_RENT, TENDERED = np.arange(26, 32)
EVENT_COLUMNS = 32
NONE = np.int64(-(2**31))  # no day: earlier than any

# -- columns of `rules` ----------------------------------------------------------------------------------------------
# The masks have a bit per step. ORDER is where the order of each step stands, CLASSES where the mask of each class.
STEPS, HOLD, YIELDS, ASKS_PRIOR, ASKS_CURRENT, ASKS_PAYER, DESIGNATED_ONLY, ORDER = np.arange(8)
CLASSES = ORDER + MAX_STEPS + 2

# -- segments of `state`, each as long as the account plus one (the last element heads the list) -----------------------
# WRITTEN_OFF: what unforgiven write-offs have paid of a target. LAST_OF_SOURCE, LAST_OF_TARGET: the newest row.
OPEN, WAITING, WRITTEN_OFF, NEXT_OPEN, PREV_OPEN, NEXT_WAITING, PREV_WAITING, LAST_OF_SOURCE, LAST_OF_TARGET, LIVE = (
    range(10)
)

# -- columns of `rows` -----------------------------------------------------------------------------------------------
# AT is the event played. REVERSES is a row or -1. LINE is the row's line in the journal.
R_KIND, R_SOURCE, R_TARGET, R_AMOUNT, R_AT, R_REVERSES, R_REASON, R_LAW_STEP, R_POLICY_STEP = np.arange(9)
R_PREV_OF_SOURCE, R_PREV_OF_TARGET, R_OCCURRENCE, R_LINE = np.arange(9, 13)
ROW_COLUMNS = 13
APPLICATION, RECOVERY = np.arange(2)
PLAIN, RETURNED, CHARGE_REVERSED, CORRECTED, RECOVERED = np.arange(len(REASONS))

# -- `control` -------------------------------------------------------------------------------------------------------
BASE, SIZE, ROWS, LOG, FULL, BEST_LAW, BEST_POLICY, LINES = np.arange(8)

RENT, FEES, OFF, BY_CODE = np.arange(len(DESIGNATIONS))
NO_ROW, NO_STEP, NOTHING = np.int64(-1), np.int64(0), np.int64(0)
FOR_IT, BY_RULE, RECOVERING = range(3)  # the stages of spending: what a source is for, the rule, written-off debt
OLDEST_DUE, NEWEST_DUE, LARGEST_OPEN, BY_PRIORITY = np.arange(len(ORDERS))


# -- state -----------------------------------------------------------------------------------------------------------


@fast
def put(state, log, control, address, value):
    """Change one number and remember what it was."""
    at = control[LOG]
    if at >= log.shape[0]:
        control[FULL] = 1
        return
    log[at, 0] = address
    log[at, 1] = state[address]
    control[LOG] = at + 1
    state[address] = value


@fast
def rewind(state, log, control, mark):
    """Undo everything since the log stood at `mark`."""
    at = control[LOG]
    while at > mark:
        at -= 1
        state[log[at, 0]] = log[at, 1]
    control[LOG] = mark


@fast
def comes_before(events, control, one, other):
    """Due date, posting date, id: the order of targets that a rule does not tell apart."""
    a = control[BASE] + one
    b = control[BASE] + other
    if events[DUE, a] != events[DUE, b]:
        return events[DUE, a] < events[DUE, b]
    if events[POSTED, a] != events[POSTED, b]:
        return events[POSTED, a] < events[POSTED, b]
    if events[TIE, a] != events[TIE, b]:
        return events[TIE, a] < events[TIE, b]
    return events[KEY, a] < events[KEY, b]


@fast
def link(state, log, control, following, preceding, after, at):
    size = control[SIZE]
    before = state[following * size + after]
    put(state, log, control, following * size + at, before)
    put(state, log, control, preceding * size + at, after)
    put(state, log, control, following * size + after, at)
    put(state, log, control, preceding * size + before, at)


@fast
def unlink(state, log, control, following, preceding, at):
    size = control[SIZE]
    before = state[preceding * size + at]
    after = state[following * size + at]
    put(state, log, control, following * size + before, after)
    put(state, log, control, preceding * size + after, before)


@fast
def set_open(events, state, log, control, target, amount):
    size = control[SIZE]
    was = state[OPEN * size + target]
    if was == amount:
        return
    put(state, log, control, OPEN * size + target, amount)
    if was == 0:
        after = state[PREV_OPEN * size + size - 1]
        while after != size - 1 and comes_before(events, control, target, after):
            after = state[PREV_OPEN * size + after]
        link(state, log, control, NEXT_OPEN, PREV_OPEN, after, target)
    elif amount == 0:
        unlink(state, log, control, NEXT_OPEN, PREV_OPEN, target)


@fast
def set_waiting(events, state, log, control, source, amount):
    """A write-off waits too, but it never pays again: it is not in the list."""
    size = control[SIZE]
    was = state[WAITING * size + source]
    if was == amount:
        return
    put(state, log, control, WAITING * size + source, amount)
    if events[KIND, control[BASE] + source] == WRITE_OFF:
        return
    if was == 0:
        after = state[PREV_WAITING * size + size - 1]
        while after != size - 1 and after > source:
            after = state[PREV_WAITING * size + after]
        link(state, log, control, NEXT_WAITING, PREV_WAITING, after, source)
    elif amount == 0:
        unlink(state, log, control, NEXT_WAITING, PREV_WAITING, source)


@fast
def note_written_off(events, state, log, control, source, target, amount):
    at = control[BASE] + source
    if events[KIND, at] == WRITE_OFF and events[FORGIVEN, at] == 0:
        address = WRITTEN_OFF * control[SIZE] + target
        put(state, log, control, address, state[address] + amount)


# -- rows ------------------------------------------------------------------------------------------------------------


@fast
def add_row(events, state, log, rows, control, kind, source, target, amount, event, reverses, reason, law, policy):
    size = control[SIZE]
    at = control[ROWS]
    if at >= rows.shape[0]:
        control[FULL] = 1
        return
    base = control[BASE]
    newest = state[LAST_OF_SOURCE * size + source]
    # The same row made before? Then this is the second, third, ... of its kind.
    occurrence = 1
    other = newest
    while other >= 0:
        if (
            rows[other, R_TARGET] == target
            and rows[other, R_AMOUNT] == amount
            and rows[other, R_KIND] == kind
            and rows[other, R_REVERSES] == reverses
        ):
            then = base + rows[other, R_AT]
            now = base + event
            if (
                events[DAY, then] == events[DAY, now]
                and events[POLICY, then] == events[POLICY, now]
                and events[LAW, then] == events[LAW, now]
            ):
                occurrence += 1
        other = rows[other, R_PREV_OF_SOURCE]
    rows[at, R_KIND] = kind
    rows[at, R_SOURCE] = source
    rows[at, R_TARGET] = target
    rows[at, R_AMOUNT] = amount
    rows[at, R_AT] = event
    rows[at, R_REVERSES] = reverses
    rows[at, R_REASON] = reason
    rows[at, R_LAW_STEP] = law
    rows[at, R_POLICY_STEP] = policy
    rows[at, R_PREV_OF_SOURCE] = newest
    rows[at, R_PREV_OF_TARGET] = state[LAST_OF_TARGET * size + target]
    rows[at, R_OCCURRENCE] = occurrence
    rows[at, R_LINE] = -1
    state[LIVE * size + at] = amount if amount > 0 else 0
    control[ROWS] = at + 1
    put(state, log, control, LAST_OF_SOURCE * size + source, at)
    put(state, log, control, LAST_OF_TARGET * size + target, at)


@fast
def take_back(events, state, log, rows, control, event, row, amount, reason):
    """Reverse an amount of a row. What then waits or opens is the caller's to say."""
    live = LIVE * control[SIZE] + row
    put(state, log, control, live, state[live] - amount)
    kind = rows[row, R_KIND]
    source = rows[row, R_SOURCE]
    target = rows[row, R_TARGET]
    if kind == APPLICATION:
        note_written_off(events, state, log, control, source, target, -amount)
    add_row(events, state, log, rows, control, kind, source, target, -amount, event, row, reason, NO_STEP, NO_STEP)


# -- which target next -----------------------------------------------------------------------------------------------


@fast
def first_step(events, rules, rule, event, source, target):
    """The first step that takes the target, counted from 0; the number of steps where none does."""
    mask = rules[rule, CLASSES + events[CLASS, target]]
    mine = events[PERIOD, target]
    now = events[CURRENT_PERIOD, event]
    known = mine != NONE and now != NONE
    if not (known and mine < now):
        mask &= ~rules[rule, ASKS_PRIOR]
    if not (known and mine == now):
        mask &= ~rules[rule, ASKS_CURRENT]
    if events[PERSON, source] < 0 or events[PERSON, source] != events[RESPONSIBLE, target]:
        mask &= ~rules[rule, ASKS_PAYER]
    steps = rules[rule, STEPS]
    step = 0
    while step < steps and mask & 1 == 0:
        mask >>= 1
        step += 1
    return step


@fast
def is_theirs(events, source, target):
    """Individual billing: money of a person pays that person's charges and those that name nobody."""
    if events[INDIVIDUAL, source] == 0 or events[PERSON, source] < 0:
        return True
    return events[RESPONSIBLE, target] < 0 or events[RESPONSIBLE, target] == events[PERSON, source]


@fast
def names_it(events, source, target, reopening):
    """Whether designated money names the target."""
    designation = events[DESIGNATION, source]
    if designation == OFF:
        named = reopening
    elif designation == FEES:
        named = events[IS_FEE, target] == 1
    elif designation == BY_CODE:
        named = events[CODE, target] == events[DESIGNATED_CODE, source]
    else:
        named = events[IS_RENT, target] == 1
    on = events[SERVICE_DAY, target]
    return named and events[COVERS_FROM, source] <= on <= events[COVERS_TO, source]


@fast
def stands_before(events, rules, state, control, event, source, law, law_at):
    """Something is open in an earlier step of the law, which designated money may not pass over."""
    size = control[SIZE]
    base = control[BASE]
    target = state[NEXT_OPEN * size + size - 1]
    while target != size - 1:
        if is_theirs(events, base + source, base + target):
            at = first_step(events, rules, law, base + event, base + source, base + target)
            if at < law_at and (at >= rules[law, STEPS] or rules[law, DESIGNATED_ONLY] >> at & 1 == 0):
                return True
        target = state[NEXT_OPEN * size + target]
    return False


@fast
def next_target(events, rules, state, control, event, source, reopening):
    """The first target, by law, then policy, then the order inside the step, that the source may pay; else -1.

    Looks among open targets, or (`reopening`) among those that a write-off paid. Leaves its steps in `control`.
    """
    size = control[SIZE]
    base = control[BASE]
    now = base + event
    money = base + source
    policy = events[POLICY, now]
    law = events[LAW, now]
    designated = events[DESIGNATION, money] >= 0
    tendered = events[TENDERED, money] == 1
    write_off = events[KIND, money] == WRITE_OFF
    bound = designated and law >= 0 and rules[law, YIELDS] == 0
    best = NO_ROW
    best_law = 0
    best_policy = 0
    best_place = 0
    if write_off and events[HAS_NAME, money] == 1:
        return best
    target = 0 if reopening else state[NEXT_OPEN * size + size - 1]
    while target != size - 1:
        owed = base + target
        amount = state[(WRITTEN_OFF if reopening else OPEN) * size + target]
        may = amount > 0 and is_theirs(events, money, owed)
        if may and designated:
            may = names_it(events, money, owed, reopening)
        if may and write_off:
            may = events[DUE, owed] <= events[DAY, money]
        if may:
            law_at = 0
            order = OLDEST_DUE
            if law >= 0:
                law_at = first_step(events, rules, law, now, money, owed)
                order = rules[law, ORDER + law_at]
                may = not (tendered and rules[law, DESIGNATED_ONLY] >> law_at & 1)
        if may and (best < 0 or law_at <= best_law):
            policy_at = first_step(events, rules, policy, now, money, owed)
            if policy_at < rules[policy, STEPS]:
                order = rules[policy, ORDER + policy_at]
                may = not (tendered and rules[policy, DESIGNATED_ONLY] >> policy_at & 1)
            elif not write_off:
                may = rules[policy, HOLD] == 0
            if may and bound:
                may = not stands_before(events, rules, state, control, event, source, law, law_at)
            if may:
                place = events[DUE, owed]
                if order == NEWEST_DUE:
                    place = -place
                elif order == LARGEST_OPEN:
                    place = -amount
                elif order == BY_PRIORITY:
                    place = events[PRIORITY, owed]
                better = best < 0 or law_at < best_law
                if not better and law_at == best_law:
                    better = policy_at < best_policy
                    if policy_at == best_policy:
                        # Open targets come in the order that breaks ties; written-off ones in business order.
                        better = place < best_place or (
                            reopening and place == best_place and comes_before(events, control, target, best)
                        )
                if better:
                    best = target
                    best_law = law_at
                    best_policy = policy_at
                    best_place = place
        target = target + 1 if reopening else state[NEXT_OPEN * size + target]
    control[BEST_LAW] = best_law + 1 if law >= 0 else 0
    control[BEST_POLICY] = best_policy + 1
    return best


# -- sources ---------------------------------------------------------------------------------------------------------


@fast
def what_it_is_for(events, state, control, event, source):
    """The next target that a source pays before any rule is asked, else -1.

    The charge that it names; else, for a credit, rent or its own code in its own rent period.
    """
    size = control[SIZE]
    base = control[BASE]
    money = base + source
    kind = events[KIND, money]
    if kind == PAYMENT:
        return NO_ROW
    named = events[NAMED, money]
    if 0 <= named <= event and events[ROLE, base + named] == TARGET:
        return named if state[OPEN * size + named] > 0 else NO_ROW
    if (kind != CREDIT and kind != CORRECTION) or events[PERIOD, money] == NONE:
        return NO_ROW
    target = state[NEXT_OPEN * size + size - 1]
    while target != size - 1:
        owed = base + target
        if events[PERIOD, owed] == events[PERIOD, money] and is_theirs(events, money, owed):
            if events[LOWERS_RENT, money] == 1:
                fits = events[IS_RENT, owed] == 1
            else:
                fits = events[CODE, money] >= 0 and events[CODE, owed] == events[CODE, money]
            if fits:
                return target
        target = state[NEXT_OPEN * size + target]
    return NO_ROW


@fast
def spend(events, rules, state, log, rows, control, event, source, to_refund):
    """Let a source pay what it may, as things stand at the event played.

    `to_refund`: only the refund of credit that is being played, whatever the source is designated to.
    """
    size = control[SIZE]
    money = control[BASE] + source
    recovers = events[KIND, money] == PAYMENT and (
        events[AFTER_MOVE_OUT, money] == 1 or events[DESIGNATION, money] == OFF
    )
    stage = FOR_IT
    while state[WAITING * size + source] > 0 and control[FULL] == 0:
        target = NO_ROW
        control[BEST_LAW] = 0
        control[BEST_POLICY] = 0
        if to_refund:
            if state[OPEN * size + event] > 0:
                target = event
        elif stage == FOR_IT:
            target = what_it_is_for(events, state, control, event, source)
        elif stage == RECOVERING or state[NEXT_OPEN * size + size - 1] != size - 1:
            target = next_target(events, rules, state, control, event, source, stage == RECOVERING)
        if target < 0:
            if to_refund or stage == RECOVERING or (stage == BY_RULE and not recovers):
                return
            stage += 1
            continue
        owed = state[(WRITTEN_OFF if stage == RECOVERING else OPEN) * size + target]
        amount = min(state[WAITING * size + source], owed)
        law = control[BEST_LAW]
        policy = control[BEST_POLICY]
        if stage == RECOVERING:
            reopen(events, state, log, rows, control, event, source, target, amount)
        set_waiting(events, state, log, control, source, state[WAITING * size + source] - amount)
        set_open(events, state, log, control, target, state[OPEN * size + target] - amount)
        note_written_off(events, state, log, control, source, target, amount)
        add_row(
            events, state, log, rows, control, APPLICATION, source, target, amount, event, NO_ROW, PLAIN, law, policy
        )


@fast
def reopen(events, state, log, rows, control, event, source, target, amount):
    """Undo write-offs of a target, newest first, each by an equal recovery entry, so that the source can pay it."""
    size = control[SIZE]
    base = control[BASE]
    left = amount
    row = state[LAST_OF_TARGET * size + target]
    while left > 0 and row >= 0:
        off = rows[row, R_SOURCE]
        live = state[LIVE * size + row]
        if live > 0 and events[KIND, base + off] == WRITE_OFF and events[FORGIVEN, base + off] == 0:
            part = min(left, live)
            add_row(
                events, state, log, rows, control, RECOVERY, source, off, part, event, NO_ROW, PLAIN, NO_STEP, NO_STEP
            )
            take_back(events, state, log, rows, control, event, row, part, RECOVERED)
            left -= part
        row = rows[row, R_PREV_OF_TARGET]
    set_open(events, state, log, control, target, state[OPEN * size + target] + amount)


# -- undoing ---------------------------------------------------------------------------------------------------------


@fast
def undo(events, state, log, rows, control, event, named):
    """Undo a target (a charge is reversed: it closes) or a source (a payment is returned, a credit reversed).

    Of a source, what waits goes first, then what it paid, newest first; of a write-off, last what was recovered.
    """
    size = control[SIZE]
    base = control[BASE]
    closes = events[ROLE, base + named] == TARGET
    reason = CHARGE_REVERSED if events[KIND, base + event] == REVERSAL else RETURNED
    left = abs(events[AMOUNT, base + event])
    if not closes:
        part = min(left, state[WAITING * size + named])
        set_waiting(events, state, log, control, named, state[WAITING * size + named] - part)
        left -= part
    for kind in range(APPLICATION, RECOVERY + 1):
        of_target = closes or kind == RECOVERY
        row = state[(LAST_OF_TARGET if of_target else LAST_OF_SOURCE) * size + named]
        while left > 0 and row >= 0:
            live = state[LIVE * size + row]
            if live > 0 and rows[row, R_KIND] == kind:
                part = min(left, live)
                source = rows[row, R_SOURCE]
                target = rows[row, R_TARGET]
                take_back(events, state, log, rows, control, event, row, part, reason)
                left -= part
                if closes:
                    set_waiting(events, state, log, control, source, state[WAITING * size + source] + part)
                elif kind == APPLICATION:
                    set_open(events, state, log, control, target, state[OPEN * size + target] + part)
            row = rows[row, R_PREV_OF_TARGET if of_target else R_PREV_OF_SOURCE]
    if closes:
        set_open(events, state, log, control, named, NOTHING)


# -- the account -----------------------------------------------------------------------------------------------------


@fast
def empty_account(state, control):
    """An account in which nothing has happened. `control[SIZE]` is its number of events plus one."""
    size = control[SIZE]
    for at in range(LIVE * size):
        state[at] = 0 if at < LAST_OF_SOURCE * size else -1
    for head in (NEXT_OPEN, PREV_OPEN, NEXT_WAITING, PREV_WAITING):
        state[head * size + size - 1] = size - 1
    control[ROWS] = 0
    control[LOG] = 0
    control[FULL] = 0


@fast
def play_event(events, rules, state, log, rows, control, event):
    """Play one event of the account, by its position, on the state that the events before it left."""
    size = control[SIZE]
    at = control[BASE] + event
    role = events[ROLE, at]
    to_refund = events[KIND, at] == REFUND
    if role == TARGET:
        set_open(events, state, log, control, event, events[AMOUNT, at])
    elif role == SOURCE:
        set_waiting(events, state, log, control, event, -events[AMOUNT, at])
    else:
        undo(events, state, log, rows, control, event, events[NAMED, at])
    # A source that arrives is spent first; then whoever waits is tried, oldest first, and after a refund once more.
    arrives = role == SOURCE
    source = event if arrives else state[NEXT_WAITING * size + size - 1]
    while control[FULL] == 0:
        if source == size - 1:
            if not to_refund:
                return
            to_refund = False
            source = state[NEXT_WAITING * size + size - 1]
            continue
        after = state[NEXT_WAITING * size + source]
        spend(events, rules, state, log, rows, control, event, source, to_refund)
        if arrives:
            arrives = False
            after = state[NEXT_WAITING * size + size - 1]
        source = after
