"""What matching does not look at. Apart from the config that holds it, whose models no process of a trial builds."""

from __future__ import annotations

from tapegate.model.part import Name, NonEmpty, Part


class Normaliser(Part):
    """A volatile field of request bodies that matching must not see."""

    service: Name
    """The service whose requests hold it."""
    path: NonEmpty
    """Where it stands in a JSON body: `messages[*].tool_call_id`."""
    reason: NonEmpty
    """Why the field may change without a change of meaning."""
