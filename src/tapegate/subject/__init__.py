"""How an agent is started and asked."""
