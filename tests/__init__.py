"""Tests of breakfix: they mirror the four packages, with what they share in tests/support."""
