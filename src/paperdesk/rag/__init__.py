"""Retrieval over the library: passages, the critic that scores them, embeddings, and the graph."""
