"""Questions that MFT's tools ask: on the terminal, or from what is piped in; `-y` answers them."""

from __future__ import annotations

from engine.commands.context import Context


async def answer(context: Context, question: str, *, assumed: str | None = None) -> str:
    """What is answered to `question`; `assumed` is printed and taken without asking."""
    if assumed is not None:
        context.line(question + assumed)
        return assumed
    if context.terminal is not None:
        await context.flush()
        return (await context.terminal.ask(question)) or ""
    context.line(question)
    text = (await context.stdin.read()).decode("utf-8", "replace") if context.stdin.attached else ""
    return text.partition("\n")[0].strip()


def agreed(text: str) -> bool:
    """Whether that means yes."""
    return text.strip().lower() in ("y", "yes")
