"""Rules of law and policy: which the published build applies, and installing those that come with the product."""

from __future__ import annotations

import hashlib

import duckdb

from orchestration.home import Build, Home
from orchestration.pipeline import SHIPPED_RULES, shipped_rules_folder
from orchestration.report import aligned


def listed(build: Build) -> list[str]:
    """A line per version of a rule for applying money and for late fees: id, where, in force from and to, citation.

    A first day that was not found and is an assumption is marked `start unverified`.
    """
    with duckdb.connect(str(build.path), read_only=True) as connection:
        found = connection.execute(
            """
            select rule_id, version, source, scope, scope_id, valid_from, valid_to, status, citation
            from rules.rule_application
            union all
            select rule_id, version, source, case when source = 'law' then 'jurisdiction' when lease_key is not null
                then 'lease' when property_key is not null then 'property' else 'default' end,
                coalesce(jurisdiction, lease_key, property_key), valid_from, valid_to, status,
                citation || case when is_start_unverified then ' (start unverified)' else '' end
            from rules.rule_late_fees
            order by source, rule_id, version
            """
        ).fetchall()
    head = ["rule", "version", "source", "scope", "", "from", "to", "status", "citation"]
    return aligned([head, *[["" if value is None else str(value) for value in row] for row in found]])


def install(home: Home) -> str:
    """Land the shipped rules that this home does not hold yet, and build. Returns what happened, in a sentence."""
    from orchestration import jobs

    with home.locked("tieout rules install"):
        home.create()
        hashes = {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            for name in SHIPPED_RULES
            if (path := shipped_rules_folder() / name).is_file()
        }
        known = {found.name for found in home.files.iterdir()}
        new = sorted(name for name, digest in hashes.items() if digest not in known)
        if not new:
            return "The shipped rules are installed already."
        build = jobs.rebuild(home, install_rules=True)
    return f"Installed {', '.join(new)}. Build {build.number} applies them."
