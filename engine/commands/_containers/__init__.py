"""Running programs inside containers: what there is in them, and how a command is run there."""
