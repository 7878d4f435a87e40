"""Causes of trouble, one file each: a fault changes a cause, and what the commands show follows."""
