"""Physical work in the machine room, one file per action."""
