"""The simulated cluster: pure, deterministic, without terminal code, real clock, real files or sockets."""
