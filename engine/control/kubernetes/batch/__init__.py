"""Software for batch work on a cluster: MPI and training operators, and the KAI scheduler with its queues."""
