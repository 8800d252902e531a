"""What keeps a subject off the network: a namespace of its own, the in-process guard, proxy variables.

`namespace`, `capture`, `messages` and `launcher` run in a small process beside the subject and import the
standard library only; so does `audit`, which runs inside Python subjects. The others run in the harness.
"""
