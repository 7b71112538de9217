"""A contract that import-linter lacks: a package imports itself, the standard library and a short list."""

from __future__ import annotations

import sys

from grimp import ImportGraph
from importlinter.application import output
from importlinter.domain import fields
from importlinter.domain.contract import Contract, ContractCheck


class ImportsOnly(Contract):
    """`modules`: the package that is kept small. `allowed`: top-level packages that it may import, one a line."""

    type_name = "imports_only"

    modules = fields.StringField()
    allowed = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        package = str(self.modules)
        allowed = {str(name) for name in self.allowed} | sys.stdlib_module_names
        inside = {package} | graph.find_descendants(package)
        foreign = sorted(
            (importer, imported)
            for importer in inside
            for imported in graph.find_modules_directly_imported_by(importer)
            if imported not in inside and imported.split(".")[0] not in allowed
        )
        return ContractCheck(kept=not foreign, metadata={"foreign": foreign})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported in check.metadata["foreign"]:
            output.print_error(f"{importer} may not import {imported}")
