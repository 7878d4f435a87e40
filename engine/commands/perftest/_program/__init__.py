"""What perftest's programs share: options, devices, the talk between both ends, and their tables."""
