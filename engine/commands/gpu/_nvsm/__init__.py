"""The parts of nvsm."""
