"""DCGM: the host engine of a GPU node, its fields, health watches, and the exporter that publishes fields.

Modelled on DCGM 4.4.2 and dcgm-exporter 4.7.1, whose sources are public (NVIDIA/DCGM, NVIDIA/dcgm-exporter).
"""
