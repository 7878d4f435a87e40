"""The GPU Operator: its policy and operands (operator.yaml), labels of nodes, validation, the MIG manager."""
