"""Parts of nvbandwidth."""
