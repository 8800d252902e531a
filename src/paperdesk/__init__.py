"""Paperdesk: a local-first research-paper assistant."""
