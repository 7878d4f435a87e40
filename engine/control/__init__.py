"""The software that runs a cluster, from the kernel driver to the scheduler: it reads the hardware and what is
configured.
"""
