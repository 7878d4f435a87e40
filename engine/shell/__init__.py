"""Login sessions: bash, prompts, history, completion, jobs, pagers, and how commands wait in simulated time."""
