"""Work as demands on the world, and what it gets."""
