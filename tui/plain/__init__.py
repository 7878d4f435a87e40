"""Plain mode: the same sessions line by line, without moving the cursor."""
