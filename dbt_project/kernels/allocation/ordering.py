"""Sorting inside accounts, compiled: business order for the door, the order of knowledge for the journal.

What makes it simple. Accounts are short and mostly in order already, so a stable merge sort that first looks whether
there is anything to do beats one sort of the whole table by five keys. Several keys are several stable sorts, the least
important first.
"""

from __future__ import annotations

from dbt_project.kernels.allocation.compiled import entry, fast


@fast
def sort_by(keys, base, order, other, start, stop):
    """Sort order[start:stop] by keys[base + order[...]], keeping equals as they are. True where nothing had to move."""
    in_order = True
    for at in range(start + 1, stop):
        if keys[base + order[at]] < keys[base + order[at - 1]]:
            in_order = False
            break
    if in_order:
        return True
    width = 1
    while width < stop - start:
        first = start
        while first < stop:
            middle = min(first + width, stop)
            end = min(first + 2 * width, stop)
            left = first
            right = middle
            for to in range(first, end):
                if left < middle and (right >= end or keys[base + order[left]] <= keys[base + order[right]]):
                    other[to] = order[left]
                    left += 1
                else:
                    other[to] = order[right]
                    right += 1
            first = end
        for at in range(start, stop):
            order[at] = other[at]
        width *= 2
    return False


@entry
def sort_accounts(order, other, starts, event, tie, known, day_and_rank):
    """Bring each account of `order` (rows, accounts one after another) into business order."""
    for account in range(len(starts) - 1):
        start = starts[account]
        stop = starts[account + 1]
        sort_by(event, 0, order, other, start, stop)
        sort_by(tie, 0, order, other, start, stop)
        sort_by(known, 0, order, other, start, stop)
        sort_by(day_and_rank, 0, order, other, start, stop)
