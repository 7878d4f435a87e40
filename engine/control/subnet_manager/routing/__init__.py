"""Unicast routing of a subnet manager: from a fabric to the forwarding tables of its switches, exactly as opensm 3.3.23
makes them.

`fabric` is what a manager knows after a sweep, `sources` makes one from a world or from a netlist, `engines` chooses
the routing engine. The engines are pure functions. `plain` routes small fabrics in plain Python; `vectorised` holds the
same rules for large ones, with numpy, which nothing else imports. The fat-tree engine is `fat_tree` (structure) and
`fat_tree_walk`.

The tests compare byte for byte with the tables that opensm makes on the simulator ibsim: fabrics of up to 1,024
adapters, whole and damaged, on a fresh start and after losses. LMC is 0: every end port has one LID.
"""
