"""Accuracy and faithfulness of a trial, from its task and its trace alone: no model takes part."""
