"""What exists (inventory, immutable and shared) and what state it is in (records in tables).

There is no behaviour beyond look-up.
"""
