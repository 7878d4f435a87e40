"""Parts of p2pBandwidthLatencyTest."""
