"""The InfiniBand subnet manager: who manages a fabric, which LIDs it gives, and how it answers changes.

opensm on the site's head node manages one fabric: `lids` (assignment), `configuration` (opensm.conf), `managers` (who
is master), `sweep` (what a sweep does), `tables` (what it writes into switches), `routing` (how it finds the ways).
Partitions, election between several managers and managers on switches are to be built beside these modules.
"""
