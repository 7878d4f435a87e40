"""Facts: named, typed statements about the world, and the small language of goals, checks and filters."""
