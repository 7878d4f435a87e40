"""Containers of a host: images, Docker, the NVIDIA container toolkit, enroot, and what a program inside may reach."""

CONTAINER = "(container)"
"""Names the container that a program is in, beside the variables of its environment. No shell can set or show it."""
