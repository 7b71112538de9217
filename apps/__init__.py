"""What people read: documents (statements, packs, books for other systems) and reports (the pages)."""
