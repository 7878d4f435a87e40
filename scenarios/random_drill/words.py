"""What people say who do not know what is wrong: tickets that fit any fault, since they tell no symptom."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ticket:
    """A briefing without a symptom; `{node}` and `{since.clock}` are filled in."""

    form: str
    sender: str
    subject: str
    text: str


TICKETS = (
    Ticket(
        "handover",
        "Mara Lindqvist (operations)",
        "{node}, before the long run tonight",
        "Something was done to {node}, or happened to it, after {since.before}. I had no time to look\n"
        "and only know that it was well before. A long run is to start there tonight.\n\n"
        "Please find out what is wrong with it. You need not repair it: take it out of service\n"
        "with a reason that tells the next shift what to mend, and hand it on (:escalate).\n",
    ),
    Ticket(
        "complaint",
        "a user (research)",
        "{node} is not as it was",
        "I can't put my finger on it, but since about {since.clock} {node} is not as the others are.\n"
        "It may be nothing; my colleague would just take another node.\n\n"
        "Could somebody look who knows what to look at? If it is broken, please take it out,\n"
        "so that nobody else lands there, write down why, and hand it on (:escalate).\n",
    ),
    Ticket(
        "ticket",
        "Acceptance (vendor team)",
        "Second opinion on {node}",
        "Our checklist for {node} was green this morning. After {since.before} somebody reported\n"
        "that it should not be green any more, without saying what they had seen.\n\n"
        "Please look at it with your own eyes and tell us component and cause. If it must not take\n"
        "work, drain it with a reason that we can act upon, and hand it to us (:escalate).\n",
    ),
)
