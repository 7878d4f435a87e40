"""What the InfiniBand diagnostics share: options, errors, the local port, the fabric as discovered from there, and its
texts.
"""
