"""What exists: files, landing tables, the warehouse, the published build, and the occasions on which they are made."""
