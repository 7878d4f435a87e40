"""What CUDA programs have in common."""
