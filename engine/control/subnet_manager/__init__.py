"""The InfiniBand subnet manager: who manages a fabric, which LIDs it gives, and how it answers changes.

First form: opensm on the site's head node, one fabric, LIDs and port states. Routing, partitions, election between
several managers and managers on switches are to be built beside these modules: `lids` (assignment), `managers` (who is
master), `sweep` (what a sweep does).
"""
