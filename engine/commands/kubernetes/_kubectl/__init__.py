"""Parts of kubectl."""
