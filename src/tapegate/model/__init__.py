"""The frozen types that every stage shares. Imports nothing of ours outside this folder."""
