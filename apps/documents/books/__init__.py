"""The books for other systems: one selection of journal lines, one file per target format.

`export.export_books` is the way in. Every format selects from the published build; none works a figure out.
"""
