"""What speaks to GitHub: events, annotations, summary."""
