"""The tape: cassettes on disk, their pins, and the one player and one recorder behind every door."""
