"""Parts of ipmitool: one module for each of its commands, and what they share."""
