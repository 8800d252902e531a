"""How traffic reaches the tape: in-process doors, the loopback gateway, and the network guard."""
