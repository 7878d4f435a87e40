"""What commands print, read: one file per command (or form of it), found by its place. See `tui/seen/recognize.py`."""
