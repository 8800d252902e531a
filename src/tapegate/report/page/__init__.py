"""`report.html`: one self-contained page over a run, a comparison and what is at hand of its traces and recordings."""
