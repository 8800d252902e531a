"""`differential_ab`: what differs between two runs, and whether it is worse. Pure; it reads no file."""
