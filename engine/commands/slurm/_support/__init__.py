"""What Slurm's commands share: reaching the controller, errors, format strings, and the rows that they print."""
