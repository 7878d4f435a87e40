"""Kubernetes (1.32): API server, controllers, scheduler, kubelets, device plugins. See
engine.control.kubernetes.api.
"""
