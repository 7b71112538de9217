"""The pages: a read-only view of the published build."""
