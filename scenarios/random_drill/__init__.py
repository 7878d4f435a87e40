"""Drills that nobody wrote: from a seed to a fault, a place, a ticket, evidence and wrong causes, and the proof that
it is fair. Such a drill ends with a diagnosis, the node out of service and a reason that helps whoever repairs it.
"""
