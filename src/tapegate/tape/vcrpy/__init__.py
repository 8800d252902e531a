"""For teams that live in vcrpy or pytest-recording: our serializer, persister and matcher as a plug-in to it."""
