"""Multi-Instance GPU: profiles of each board, where instances fit, the devices that programs see, and the driver's work
on them.
"""
