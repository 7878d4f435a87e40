"""The ground floor: time, order, chance, numbers, state tables, actions and the journal.

It knows nothing of clusters.
"""
