"""Rules of law and policy: which the published build applies, and installing those that come with the product."""

from __future__ import annotations

import hashlib

import duckdb

from orchestration.home import Build, Home
from orchestration.pipeline import SHIPPED_RULES, shipped_rules_folder
from orchestration.report import aligned


def listed(build: Build) -> list[str]:
    """A line per version of an application rule: id, version, source, scope, in force from and to, citation."""
    with duckdb.connect(str(build.path), read_only=True) as connection:
        found = connection.execute(
            "select rule_id, cast(version as varchar), source, scope, scope_id, cast(valid_from as varchar), "
            "cast(valid_to as varchar), status, citation from rules.rule_application order by source, rule_id, version"
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
