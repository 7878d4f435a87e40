"""Device plugins: programs that tell kubelets of devices beside CPU and memory (engine.control.kubernetes.devices)."""
