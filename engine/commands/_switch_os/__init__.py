"""Command lines of managed switches, which one reaches with ssh: a shell of their own, no files and no other programs.

`session` logs in and reads lines; `words` finds the command that a line means; one module for each operating system.
"""
