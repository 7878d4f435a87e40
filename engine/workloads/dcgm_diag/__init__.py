"""DCGM's diagnostics (nvvs): its tests, what each asks of the GPUs, and what it finds.

Read in nvvs/ of NVIDIA/DCGM v4.4.2; the plugins for memory bandwidth and the pulse test are not public there.
"""
