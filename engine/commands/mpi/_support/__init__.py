"""What the names of Open MPI's launcher share."""
