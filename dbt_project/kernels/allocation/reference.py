"""The simple twin: what the rules for applying money say, in plain Python, one sentence of them after another.

It exists to be read by someone who doubts the compiled kernel, and to be compared with it row for row. So it takes no
short cut: at every moment at which the books of an account learned something, it takes all events known by then in
business order, plays them from an empty account, and compares the rows with those of the moment before.

Words. A *target* is a positive entry that can be owed. A *source* is anything that pays. A source *waits* with what it
has not paid. A *row* applies an amount of a source to a target, or takes an earlier row back (negative amount).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Any

import pyarrow as pa

from dbt_project.kernels.allocation.inputs import read_events
from dbt_project.kernels.allocation.outputs import OUTPUT_SCHEMA
from dbt_project.kernels.allocation.rules import Rule, Step, parse_rules
from dbt_project.kernels.allocation.words import FEE_CATEGORIES, LOWERING_CATEGORIES

Steps = tuple[int | None, int | None]  # the step of the law and that of the policy, counted from 1


@dataclass(frozen=True, eq=False)
class Event:
    """One entry on an account, as the events table has it."""

    account_key: int
    event_key: int
    kind: str
    amount_minor: int
    business_on: date
    known_at: datetime
    tie_rank: int
    names_event_key: int | None
    due_on: date | None
    posted_on: date
    category: str | None
    code_key: str | None
    gl_account: str | None
    counts_as_rent: bool
    application_priority: int | None
    rent_period_from: date | None
    current_period_from: date | None
    service_from: date | None
    service_to: date | None
    responsible_person_key: str | None
    payer_person_key: str | None
    is_individual_billing: bool
    designation: str | None
    designation_code_key: str | None
    covers_from: date | None
    covers_to: date | None
    is_forgiven: bool
    is_after_move_out: bool
    policy_rule_key: int
    law_rule_key: int | None

    @property
    def undoes(self) -> bool:
        if self.kind in ("charge_reversal", "payment_return"):
            return True
        return self.kind in ("write_off", "deposit_applied") and self.amount_minor > 0

    @property
    def pays(self) -> bool:
        only_pays = self.kind in ("credit", "payment", "write_off", "deposit_applied")
        return not self.undoes and (only_pays or self.amount_minor < 0)

    @property
    def due(self) -> date:
        return self.due_on or self.posted_on

    @property
    def person(self) -> str | None:
        """Whose money this is: the payer, or the person a credit was given to."""
        return self.payer_person_key or self.responsible_person_key

    @property
    def is_designated(self) -> bool:
        return self.kind == "payment" and (
            self.designation is not None or self.covers_from is not None or self.covers_to is not None
        )


def business_order(event: Event) -> tuple[Any, ...]:
    """Where the event stands among those of its account."""
    if event.kind == "opening_balance":
        rank = 0
    elif event.kind == "charge_reversal":
        rank = 4
    elif event.undoes or event.kind == "refund_of_credit":
        rank = 5
    elif not event.pays:  # charge, positive correction, transfer in
        rank = 1
    elif event.kind in ("credit", "correction"):
        rank = 2
    else:  # payment, deposit applied, transfer out, write-off
        rank = 3
    return event.business_on, rank, event.known_at, event.tie_rank, event.event_key


@dataclass(eq=False)
class Row:
    """One row made while playing `played`. `live` is what later rows have not taken back of it."""

    kind: str
    source: Event
    target: Event
    amount: int
    played: Event
    law_step: int | None = None
    policy_step: int | None = None
    reverses: Row | None = None
    reason: str | None = None
    live: int = 0

    @property
    def identity(self) -> tuple[Any, ...]:
        """Two rows with one identity are the same row, if they are also the same one in order of play."""
        return (
            self.kind,
            self.source.event_key,
            self.target.event_key,
            self.amount,
            self.played.business_on,
            self.played.policy_rule_key,
            self.played.law_rule_key,
            None if self.reverses is None else self.reverses.name,
        )

    name: tuple[Any, ...] = ()  # identity and occurrence, given when the row is made


class Play:
    """The allocation of one account: play its events in business order and read `rows`."""

    def __init__(self, rules: dict[int, Rule], known: list[Event]) -> None:
        self.rules = rules
        self.known = {event.event_key: event for event in known}
        self.rows: list[Row] = []
        self.events: dict[int, Event] = {}
        self.open: dict[int, int] = {}  # what is owed on each target
        self.waiting: dict[int, int] = {}  # what each source has not paid
        self.met: dict[tuple[Any, ...], int] = {}  # how often a row of one identity was made

    def play(self, event: Event) -> None:
        self.events[event.event_key] = event
        if event.undoes:
            named = self.events[event.names_event_key]  # the door has checked that it is here
            if named.pays:
                self.undo_source(event, named)
            else:
                self.close_target(event, named)
        elif event.pays:
            self.waiting[event.event_key] = -event.amount_minor
            self.spend(event, event)
        else:
            self.open[event.event_key] = event.amount_minor
            if event.kind == "refund_of_credit":
                self.refund(event)
        # Whoever waits is tried again: something opened, was freed, or no longer stands in the way.
        for source in self.waiting_money():
            self.spend(event, source)

    # -- sources -------------------------------------------------------------------------------------------------

    def spend(self, event: Event, source: Event) -> None:
        """Let a source pay what it may, as things stand at `event`."""
        for target in self.what_it_is_for(source):
            self.apply(event, source, target, min(self.waiting[source.event_key], self.open[target.event_key]))
        while self.waiting[source.event_key] > 0:
            best = self.next_target(event, source, self.open, reopening=False)
            if best is None:
                break
            target, steps = best
            self.apply(event, source, target, min(self.waiting[source.event_key], self.open[target.event_key]), steps)
        if source.kind == "payment" and (source.designation == "written_off" or source.is_after_move_out):
            self.recover(event, source)

    def waiting_money(self) -> list[Event]:
        """Sources that wait, oldest first (events come in business order). A write-off pays once and never again."""
        found = [self.events[key] for key, amount in self.waiting.items() if amount > 0]
        return [source for source in found if source.kind != "write_off"]

    def what_it_is_for(self, source: Event) -> list[Event]:
        """The targets that a source pays before any rule is asked."""
        if source.kind == "payment":
            return []
        if source.names_event_key in self.open:
            return [self.events[source.names_event_key]] if self.open[source.names_event_key] > 0 else []
        if source.kind not in ("credit", "correction") or source.rent_period_from is None:
            return []
        lowers_rent = self.lowers_rent(source)
        return [
            target
            for target in self.open_targets()
            if target.rent_period_from == source.rent_period_from
            and self.is_theirs(source, target)
            and (
                target.counts_as_rent
                if lowers_rent
                else source.code_key is not None and target.code_key == source.code_key
            )
        ]

    def lowers_rent(self, source: Event) -> bool:
        """A concession, a subsidy credit, or a correction of either."""
        if source.kind not in ("credit", "correction") or not source.pays:
            return False
        corrected = self.known.get(source.names_event_key)
        return source.category in LOWERING_CATEGORIES or (
            corrected is not None
            and corrected.pays
            and corrected.kind in ("credit", "correction")
            and corrected.category in LOWERING_CATEGORIES
        )

    def refund(self, event: Event) -> None:
        """A refund of credit first takes waiting money, oldest first, whatever its designation, never a write-off's."""
        for source in self.waiting_money():
            self.apply(event, source, event, min(self.waiting[source.event_key], self.open[event.event_key]))

    def recover(self, event: Event, source: Event) -> None:
        """Undo write-offs by an equal entry and pay the charges so reopened, in the order of the rule."""
        while self.waiting[source.event_key] > 0:
            written_off: dict[int, int] = {}
            for row in self.written_off_rows():
                written_off[row.target.event_key] = written_off.get(row.target.event_key, 0) + row.live
            best = self.next_target(event, source, written_off, reopening=True)
            if best is None:
                break
            target, steps = best
            amount = min(self.waiting[source.event_key], written_off[target.event_key])
            left = amount
            for row in reversed(self.written_off_rows()):
                if left and row.target is target:
                    part = min(left, row.live)
                    self.add(Row("recovery", source, row.source, part, event, live=part))
                    self.take_back(event, row, part, "recovery")
                    self.waiting[row.source.event_key] -= part  # it does not wait: the recovery entry used it up
                    left -= part
            self.apply(event, source, target, amount, steps)

    def written_off_rows(self) -> list[Row]:
        """Live applications of write-offs that may be recovered: forgiven or discharged debt is never reopened."""
        found = [row for row in self.rows if row.kind == "application" and row.live and row.source.kind == "write_off"]
        return [row for row in found if not row.source.is_forgiven]

    # -- which target next ---------------------------------------------------------------------------------------

    def next_target(
        self, event: Event, source: Event, amounts: dict[int, int], reopening: bool
    ) -> tuple[Event, Steps] | None:
        """The first target, by law, then policy, then the order inside the step, that the source may pay."""
        found: list[tuple[tuple[Any, ...], Event, Steps]] = []
        policy = self.rules[event.policy_rule_key]
        law = None if event.law_rule_key is None else self.rules[event.law_rule_key]
        for key, amount in amounts.items():
            target = self.events[key]
            if amount <= 0 or not self.is_theirs(source, target):
                continue
            if source.is_designated and not names(source, target, reopening):
                continue
            law_at = 0 if law is None else first_step(law, event, source, target)
            policy_at = first_step(policy, event, source, target)
            law_step = law.steps[law_at] if law is not None and law_at < len(law.steps) else None
            policy_step = policy.steps[policy_at] if policy_at < len(policy.steps) else None
            if self.is_tendered(source) and any(step and step.designated_only for step in (law_step, policy_step)):
                continue
            if source.kind == "write_off":
                if target.due > source.business_on or source.names_event_key is not None:
                    continue
            elif policy.hold and policy_step is None:
                continue
            bound = source.is_designated and law is not None and not law.yields
            if bound and self.stands_before(event, source, law, law_at):
                continue
            order = (policy_step or law_step or Step()).order
            place = {
                "oldest_due": target.due.toordinal(),
                "newest_due": -target.due.toordinal(),
                "largest_open": -amount,
                "priority": 2**31 if target.application_priority is None else target.application_priority,
            }[order]
            rank = (law_at, policy_at, place, target.due, target.posted_on, target.tie_rank, target.event_key)
            found.append((rank, target, (None if law is None else law_at + 1, policy_at + 1)))
        if not found:
            return None
        _, target, steps = min(found, key=lambda one: one[0])
        return target, steps

    def stands_before(self, event: Event, source: Event, law: Rule, law_at: int) -> bool:
        """Something is open in an earlier step of the law, which designated money may not pass over."""
        for target in self.open_targets():
            at = first_step(law, event, source, target)
            demands = at >= len(law.steps) or not law.steps[at].designated_only
            if at < law_at and demands and self.is_theirs(source, target):
                return True
        return False

    def is_tendered(self, source: Event) -> bool:
        """Money that a step for designated money only lets pass by: undesignated payments, concessions, subsidy."""
        return (source.kind == "payment" and not source.is_designated) or self.lowers_rent(source)

    def is_theirs(self, source: Event, target: Event) -> bool:
        """Individual billing: money of a person pays that person's charges and those that name nobody."""
        if not source.is_individual_billing or source.person is None:
            return True
        return target.responsible_person_key in (None, source.person)

    def open_targets(self) -> list[Event]:
        found = [self.events[key] for key, amount in self.open.items() if amount > 0]
        return sorted(found, key=lambda target: (target.due, target.posted_on, target.tie_rank, target.event_key))

    # -- undoing -------------------------------------------------------------------------------------------------

    def close_target(self, event: Event, target: Event) -> None:
        """A charge is reversed: its applications are taken back, newest first, and it closes."""
        for row in reversed(list(self.rows)):
            if row.kind == "application" and row.target is target and row.live:
                self.take_back(event, row, row.live, "charge_reversal")
        self.open[target.event_key] = 0

    def undo_source(self, event: Event, source: Event) -> None:
        """A payment is returned, or a credit reversed: what waits goes first, then what it paid, newest first.

        Of a write-off, what was recovered goes last: the recovery entry is undone with it.
        """
        left = abs(event.amount_minor)
        reason = "charge_reversal" if event.kind == "charge_reversal" else "return"
        part = min(left, self.waiting[source.event_key])
        self.waiting[source.event_key] -= part
        left -= part
        for row in reversed(list(self.rows)):
            if left and row.kind == "application" and row.source is source and row.live:
                part = min(left, row.live)
                self.take_back(event, row, part, reason)
                self.waiting[source.event_key] -= part
                left -= part
        for row in reversed(list(self.rows)):
            if left and row.kind == "recovery" and row.target is source and row.live:
                part = min(left, row.live)
                row.live -= part
                self.add(Row("recovery", row.source, source, -part, event, reverses=row, reason=reason))
                left -= part

    # -- rows ----------------------------------------------------------------------------------------------------

    def apply(self, event: Event, source: Event, target: Event, amount: int, steps: Steps = (None, None)) -> None:
        if amount > 0:
            self.waiting[source.event_key] -= amount
            self.open[target.event_key] -= amount
            self.add(Row("application", source, target, amount, event, *steps, live=amount))

    def take_back(self, event: Event, row: Row, amount: int, reason: str) -> None:
        row.live -= amount
        self.waiting[row.source.event_key] += amount
        self.open[row.target.event_key] += amount
        self.add(Row("application", row.source, row.target, -amount, event, reverses=row, reason=reason))

    def add(self, row: Row) -> None:
        identity = row.identity
        self.met[identity] = self.met.get(identity, 0) + 1
        row.name = (identity, self.met[identity])
        self.rows.append(row)


def first_step(rule: Rule, event: Event, source: Event, target: Event) -> int:
    """The first step that takes the target; the number of steps where none does."""
    for at, step in enumerate(rule.steps):
        if not step.takes_class(target.counts_as_rent, target.category, target.code_key, target.gl_account):
            continue
        if step.period is not None:
            mine, now = target.rent_period_from, event.current_period_from
            if mine is None or now is None:
                continue
            if not (mine < now if step.period == "prior" else mine == now):
                continue
        if step.payers_own and (source.person is None or target.responsible_person_key != source.person):
            continue
        return at
    return len(rule.steps)


def names(source: Event, target: Event, reopening: bool) -> bool:
    """Whether designated money names this target. Service months alone mean rent."""
    if source.designation == "written_off":
        named = reopening
    elif source.designation == "fees":
        named = target.category in FEE_CATEGORIES
    elif source.designation == "code":
        named = target.code_key == source.designation_code_key
    else:
        named = target.counts_as_rent
    day = target.service_from or target.due
    after = source.covers_from is None or day >= source.covers_from
    before = source.covers_to is None or day <= source.covers_to
    return named and after and before


def journal(events: list[Event], rules: dict[int, Rule]) -> Iterator[dict[str, Any]]:
    """The growing journal of one account: the differences between what was known and what is known now.

    `seq` and `reverses` count the rows of this account from 0; the caller numbers the whole table.
    """
    ordered = sorted(events, key=business_order)
    live: dict[tuple[Any, ...], tuple[int, Row]] = {}  # row name -> its line in the journal; in order of play
    seq = 0
    for known_at in sorted({event.known_at for event in events}):
        step = [event for event in ordered if event.known_at == known_at]
        known = [event for event in ordered if event.known_at <= known_at]
        play = Play(rules, known)
        for event in known:
            play.play(event)
        now = {row.name for row in play.rows}
        for name, (line, row) in reversed(live.items()):
            if name not in now:
                yield line_of(row, seq, known_at, step[0], -row.amount, line, "correction")
                seq += 1
        then, live = live, {}
        for row in play.rows:
            if row.name in then:
                live[row.name] = then[row.name]
                continue
            reverses = None if row.reverses is None else live[row.reverses.name][0]
            cause = row.played if row.played.known_at == known_at else step[0]
            yield line_of(row, seq, known_at, cause, row.amount, reverses, row.reason)
            live[row.name] = (seq, row)
            seq += 1


def line_of(
    row: Row, seq: int, known_at: datetime, cause: Event, amount: int, reverses: int | None, reason: str | None
) -> dict[str, Any]:
    correction = reason == "correction"
    return {
        "row_kind": row.kind,
        "seq": seq,
        "account_key": row.source.account_key,
        "source_event_key": row.source.event_key,
        "target_event_key": row.target.event_key,
        "amount_minor": amount,
        "applied_on": row.played.business_on,
        "known_at": known_at,
        "policy_rule_key": row.played.policy_rule_key,
        "law_rule_key": row.played.law_rule_key,
        "law_step": None if correction else row.law_step,
        "policy_step": None if correction else row.policy_step,
        "reverses": reverses,
        "reason": reason,
        "cause_event_key": cause.event_key,
        "occurrence": row.name[1],
    }


def allocate_reference(events: pa.Table, rules: pa.Table) -> pa.Table:
    """Apply money, slowly and readably. Same arguments, result and errors as `allocate`."""
    parsed = parse_rules(rules)
    rows = [Event(**row) for row in read_events(events, parsed).table.to_pylist()]
    rows.sort(key=lambda event: event.account_key)
    lines: list[dict[str, Any]] = []
    for _, of_account in groupby(rows, key=lambda event: event.account_key):
        lines.extend(journal(list(of_account), parsed))
    # One journal for all accounts, in the order in which things became known.
    lines.sort(key=lambda line: (line["known_at"], line["account_key"], line["seq"]))
    numbers = {(line["account_key"], line["seq"]): number for number, line in enumerate(lines, start=1)}
    for number, line in enumerate(lines, start=1):
        line["journal_seq"] = number
        line["reverses_seq"] = None if line["reverses"] is None else numbers[line["account_key"], line["reverses"]]
    return pa.Table.from_pylist(lines, schema=OUTPUT_SCHEMA)
