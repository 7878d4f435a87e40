"""The kubelet of a node: pods it was given, containers and images through containerd, its node's status and devices."""
