"""How the hardware behaves: laws that follow from the state and the time, and the events they cause."""
