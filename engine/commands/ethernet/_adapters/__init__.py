"""What the tools for Ethernet adapters share: finding an adapter by its interface, and words of lists."""
