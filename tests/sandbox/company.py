"""A small workspace for the sandbox's own tests."""

from dataclasses import replace

from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson, SeedTeam

PARTNER = SeedTeam("T0PARTNER", "Partner", "partner")


def company() -> Seed:
    """Four members, two guests, an outsider, somebody who left; the bot is in `general`, `board` and `joint`."""
    people = (
        SeedPerson("ann", real_name="Ann Lee", admin=True),
        SeedPerson("bo", real_name="Bo Ek"),
        SeedPerson("cy", real_name="Cy Orr"),
        SeedPerson("di", real_name="Di Moe"),
        SeedPerson("gus", real_name="Gus Hale", kind="guest"),
        SeedPerson("una", real_name="Una Vale", kind="single_channel_guest"),
        SeedPerson("olga", real_name="Olga Quist", kind="outsider", team=PARTNER),
        SeedPerson("rex", real_name="Rex Gone", kind="deactivated"),
        SeedPerson("pager", real_name="Pager", kind="bot"),
    )
    channels = (
        SeedChannel("general"),
        SeedChannel("workshop", members=("ann", "bo", "gus"), footnote=False),
        SeedChannel("board", kind="private", members=("ann", "bo")),
        SeedChannel("vault", kind="private", members=("ann",), footnote=False),
        SeedChannel("joint", kind="shared", members=("ann", "bo", "olga")),
        SeedChannel("attic", members=("ann",), footnote=False, archived=True),
    )
    return Seed(people, channels, {"general": (thread_of_three(),), "board": (SeedMessage("ann", "Numbers are up."),)})


def thread_of_three() -> SeedMessage:
    """A question with two replies."""
    replies = (SeedMessage("bo", "Behind the *kiln*."), SeedMessage("cy", "Thanks!"))
    return SeedMessage("ann", "Where is the ladder?", thread=replies, reactions={"eyes": ("bo", "cy")})


def with_messages(seed: Seed, channel: str, count: int) -> Seed:
    """The same workspace with so many more messages in a channel."""
    more = tuple(SeedMessage("bo", f"line {number}") for number in range(count))
    return replace(seed, messages={**seed.messages, channel: (*seed.messages.get(channel, ()), *more)})
