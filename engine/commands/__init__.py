"""The commands of the trade, one file each: a command selects from the state and formats, and holds no facts of its
own.
"""
