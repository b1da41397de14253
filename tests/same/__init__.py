"""``make same BASE=REVISION``: what a change of structure must leave as it is, compared with a revision.

Both trees read the same inputs: the vectors, whole, cut and with a flipped bit, and damaged inputs of the campaigns,
each with the engine and with generated classes. Rows, reports and the kinds of errors must be the same. Generated files
that differ are listed, too, and speeds are compared in turns.
"""
