"""The simulated cluster's API server on a loopback port, for a real kubectl."""
