"""The routing engines for large fabrics: all switches at once, with numpy; the same tables, byte for byte, as the plain
forms.

Nothing imports these modules at its top but themselves: numpy costs a one-shot command more than the command itself.

How a walk that serves one destination after the other becomes whole arrays: each switch makes its table alone. All
adapters of a leaf have the same candidate ports and follow one another. While the candidate sets of a switch are equal
or have no port in common, "least used, lowest first" is the same as taking turns inside each set, and the n-th adapter
of a set with k ports gets port n mod k. Only where sets overlap (damaged or irregular fabrics) the walk is done step by
step, for all those switches together.
"""
