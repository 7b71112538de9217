"""The frame around each page: its build, its style, its title, and a kind word where there is nothing to show."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date, datetime
from html import escape
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from apps.documents import words
from apps.reports.published import NothingPublished, Published, Reader
from apps.reports.views.tables import Html

STYLE = Path(__file__).parent / "style.css"


@st.cache_resource
def _published(home: str) -> Published:
    return Published(home)


def published() -> Published:
    """The door to the home that this app was started for: ``$TIEOUT_HOME``, else ``./tieout-home``."""
    return _published(str(Path(os.environ.get("TIEOUT_HOME") or "tieout-home").resolve()))


def open_page(title: str, lead: str) -> Reader:
    """Draw the head of a page and answer a reader that the whole page uses, so that all of it shows one build.

    Where nothing is published the page says so, with what to do, and ends here.
    """
    st.html(STYLE)
    st.title(title, anchor=False)
    try:
        reader = published().reader()
    except NothingPublished:
        callout(
            "Nothing is published yet.",
            "Run `tieout demo` for the sample portfolio, or `tieout run --landing DIR` to load your own files. "
            "This page shows the build as soon as there is one: reload it then.",
        )
        st.stop()
    st.html(f'<p class="t-lead">{escape(lead)}</p>')
    _stamp(reader)
    return reader


def _stamp(reader: Reader) -> None:
    build = reader.one("build") or {}
    lines = [("Build", str(build.get("build_no", reader.build.number)))]
    if build.get("as_of"):
        lines.append(("As of", words.short_day(build["as_of"])))
    loaded_at = build.get("built_at") or reader.build.loaded_at
    if loaded_at:
        lines.append(("Loaded", f"{words.short_day(loaded_at)}, {loaded_at:%H:%M} UTC"))
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in lines)
    st.sidebar.html(f'<dl class="t-stamp">{items}</dl>')
    if reader.build.incomplete:
        callout("This build is incomplete.", *reader.build.incomplete, "Land what is missing and run the build again.")


def choice(
    place: DeltaGenerator,
    label: str,
    options: Mapping[str, str],
    key: str,
    *,
    width: int | Literal["stretch"] = "stretch",
) -> str:
    """A select box over ids, shown by name, whose choice stands in the address: an address can be kept and sent on."""
    keys = list(options)
    asked = st.query_params.get(key)
    chosen = place.selectbox(
        label,
        keys,
        index=keys.index(asked) if asked in keys else 0,
        format_func=lambda each: options[each],
        key=f"choice-{key}",
        width=width,
    )
    if chosen != asked:
        st.query_params[key] = chosen
    return chosen


def day(place: DeltaGenerator, label: str, default: date, key: str, *, last: date) -> date:
    """A day up to ``last``, kept in the address like a choice."""
    asked = _asked(key, default)
    chosen = place.date_input(label, min(asked.date(), last), max_value=last, key=f"day-{key}", format="YYYY-MM-DD")
    assert isinstance(chosen, date), "one day is asked for, and one is answered"
    st.query_params[key] = chosen.isoformat()
    return chosen


def moment(place: DeltaGenerator, label: str, default: datetime, key: str) -> datetime:
    """A moment in UTC, kept in the address like a choice."""
    asked = _asked(key, default)
    chosen = place.datetime_input(label, asked, key=f"moment-{key}", format="YYYY-MM-DD") or asked
    st.query_params[key] = chosen.isoformat()
    return chosen


def _asked(key: str, default: date) -> datetime:
    """What the address says, where that is a day or a moment; else the default."""
    try:
        return datetime.fromisoformat(st.query_params.get(key, "")).replace(tzinfo=None)
    except ValueError:
        return datetime.fromisoformat(default.isoformat()).replace(tzinfo=None)


def callout(head: str, *lines: str, quiet: bool = False) -> None:
    """A boxed remark; text between backquotes is shown as code."""
    shown = "".join(f"<p>{_with_code(line)}</p>" for line in lines)
    kind = "t-callout quiet" if quiet else "t-callout"
    st.html(f'<div class="{kind}" role="status"><strong>{_with_code(head)}</strong>{shown}</div>')


def _with_code(line: str) -> Html:
    parts = line.split("`")
    return Html("".join(f"<code>{escape(part)}</code>" if i % 2 else escape(part) for i, part in enumerate(parts)))


def heading(text: str, aside: str = "") -> None:
    """A section heading of plain text, with a quiet remark beside it."""
    remark = f" <small>{escape(aside)}</small>" if aside else ""
    st.html(f'<h2 class="t-heading">{escape(text)}{remark}</h2>')


def ledger_link(lease_id: str, source_system: str, party: str = "resident") -> str:
    """Where a household's ledger is."""
    return "ledger?" + urlencode({"lease": lease_id, "source": source_system, "party": party})
