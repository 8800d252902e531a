"""The judge of the weekly audit: a model that is asked with the rubric's prompt, and believed only to the letter."""
