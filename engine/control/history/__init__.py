"""A host's past: what its logs hold from before the site's start, made when looked at from (inventory, seed, host)
alone.

The current boot at the site's start is `boot 0`. Before it the machine was serviced: a short boot -1, at whose end the
driver was upgraded, and the tail of a long boot -2, as far back as the journal reaches.
"""
