"""The parts of the workspace screen: tabs and splits of terminals, the first line, the side column, the moves."""
