"""The PCI configuration space of a node's functions, byte for byte: identity, address windows, capabilities and the
state of the link.

`space.config_space` composes it from a profile of the part (profiles), the resources that the firmware gave (resources)
and the state of the world. Views of PCI devices read these bytes and nothing else, as the real ones do.
"""
