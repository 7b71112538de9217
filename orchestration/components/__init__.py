"""How the assets of `orchestration.defs` are built."""
