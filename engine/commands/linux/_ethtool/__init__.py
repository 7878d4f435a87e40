"""What ethtool prints and sets, by kind of request: the link, statistics, tables of settings, changes."""
