"""Slurm: the controller's nodes, jobs and queue, the daemons on the hosts, their configuration files, logs and
accounting.
"""
