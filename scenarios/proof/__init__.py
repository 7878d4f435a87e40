"""The proof of a scenario: played without a screen over several seeds, it can be found and solved, and not guessed."""
