"""The Network Operator: its policy (operator.yaml) and the shared RDMA device plugin."""
