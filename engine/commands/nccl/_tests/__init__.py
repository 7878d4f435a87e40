"""What the tests of nccl-tests share."""
