"""InfiniBand subnet managers: who manages a fabric, which LIDs and keys it gives, and how it answers changes.

opensm runs on nodes, as a service or by hand, and on managed switches: `configuration` (opensm.conf), `managers` (who
is at work, in which state), `election` (who becomes master, and when), `on_switches`, `by_hand`, `crashes`. What the
master does: `sweep`, `lids` (assignment), `routing` and `tables` (ways), `partitions` (keys), `sweep_log` (what it
says). `cold_start` is a fabric after a power cut.
"""
