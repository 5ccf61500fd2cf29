"""The frames of the pages: the workspace with its sidebar, the choice of a person, and plain notes."""

from collections.abc import Iterable

from markupsafe import Markup

from sandbox.state import Channel, ChannelKind, Person, PersonKind, Workspace
from sandbox.web.messages import Sight, thread_html, timeline_html
from sandbox.web.viewer import Viewer

_NOTHING = Markup("")
_PAGE = Markup(
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>{}</title>'
    '<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/style.css"></head>'
    '<body class="{}">{}<script src="/static/app.js"></script></body></html>'
)
_LOCK = Markup(
    '<svg class="lock" viewBox="0 0 12 14" aria-label="private"><rect x="1" y="6" width="10" height="7" rx="1.5"/>'
    '<path d="M3.5 6V4a2.5 2.5 0 0 1 5 0v2" fill="none" stroke="currentColor" stroke-width="1.5"/></svg> '
)
_KINDS = {
    PersonKind.GUEST: "guest",
    PersonKind.SINGLE_CHANNEL_GUEST: "guest of one channel",
    PersonKind.OUTSIDER: "another organisation",
}


def page(title: str, body: Markup, kind: str = "") -> str:
    """A whole page."""
    return str(_PAGE.format(title, kind, body))


def note_page(title: str, words: str) -> str:
    """A page that only says something."""
    body = Markup('<main class="note-page"><h1>{}</h1><p>{}</p><p><a href="/">To the start</a></p></main>')
    return page(title, body.format(title, words), "plain")


def choosers(workspace: Workspace) -> list[Person]:
    """Everybody who could sit at the browser."""
    return [p for p in workspace.people.values() if p.kind not in (PersonKind.BOT, PersonKind.DEACTIVATED)]


def choice_page(workspace: Workspace, onward: str, handbook: bool) -> str:
    """Whom to be; `onward` is the address to go to, with `as=` to be put on."""
    joint = "&" if "?" in onward else "?"
    card = Markup('<a class="person" href="{}{}as={}"><b>{}</b><span>@{} · {}</span></a>')
    people = _NOTHING.join(
        card.format(onward, joint, p.id, p.shown_name, p.name, _KINDS.get(p.kind) or p.title or "member")
        for p in choosers(workspace)
    )
    book = Markup('<p>There is a <a href="/handbook/">handbook</a> too.</p>') if handbook else _NOTHING
    words = Markup(
        '<main class="choice"><h1>{}</h1><p>Look at the workspace as one of its people.</p>{}'
        '<div class="people">{}</div></main>'
    )
    return page(workspace.team.name, words.format(workspace.team.name, book, people), "plain")


def workspace_page(sight: Sight, viewer: Viewer, handbook: bool) -> str:
    """The workspace as the viewer sees it, with one conversation open."""
    body = Markup(
        '<div class="workspace{}" data-live="/client/{}/live" data-person="{}" data-thread="{}" data-highlight="{}">'
        "{}{}{}</div>"
    ).format(
        " with-thread" if sight.thread_ts else "",
        sight.channel.id,
        viewer.person.id,
        sight.thread_ts,
        sight.highlight,
        sidebar(sight.channel, viewer, handbook),
        _conversation(sight, viewer),
        _thread(sight, viewer) if sight.thread_ts else _NOTHING,
    )
    return page(f"{viewer.title_of(sight.channel)} · {viewer.workspace.team.name}", body, "client")


def sidebar(current: Channel, viewer: Viewer, handbook: bool) -> Markup:
    """All that the viewer can open, with what is open marked."""
    mine, others, direct = _sorted_channels(viewer)
    book = Markup('<a href="/handbook/">▤ Handbook</a>') if handbook else _NOTHING
    frame = Markup('<nav class="sidebar"><h1>{}</h1>{}{}{}{}{}{}</nav>')
    return frame.format(
        viewer.workspace.team.name,
        _switcher(current, viewer),
        _group("Channels", mine, current, viewer),
        _group("More channels", others, current, viewer),
        _group("Direct messages", [c for c in direct if c is not _app_dm(viewer)], current, viewer),
        _links("App", _app_link(current, viewer)),
        _links("Documents", book) if book else _NOTHING,
    )


def _app_dm(viewer: Viewer) -> Channel | None:
    return viewer.workspace.direct(frozenset({viewer.person.id, viewer.workspace.app.user_id}))


def _app_link(current: Channel, viewer: Viewer) -> Markup:
    """To the DM with the app, which is made when it is first opened, and to its Home tab."""
    app = viewer.workspace.people[viewer.workspace.app.user_id]
    kind = "app current" if current is _app_dm(viewer) else "app"
    links = Markup('<a class="{}" href="/dm/{}?as={}">◆ {}</a><a href="/home?as={}">⌂ Home</a>')
    return links.format(kind, app.id, viewer.person.id, app.real_name, viewer.person.id)


def _switcher(current: Channel, viewer: Viewer) -> Markup:
    option = Markup('<option value="{}"{}>{}</option>')
    selected = Markup(" selected")
    options = _NOTHING.join(
        option.format(p.id, selected if p is viewer.person else "", p.real_name) for p in choosers(viewer.workspace)
    )
    form = Markup('<form class="switch" action="/be/{}"><select name="as">{}</select><button>Be</button></form>')
    return form.format(current.id, options)


def _sorted_channels(viewer: Viewer) -> tuple[list[Channel], list[Channel], list[Channel]]:
    seen = sorted(filter(viewer.sees, viewer.workspace.channels.values()), key=viewer.title_of)
    direct = [c for c in seen if c.kind in (ChannelKind.DM, ChannelKind.GROUP_DM)]
    named = [c for c in seen if c not in direct]
    mine = [c for c in named if viewer.person.id in c.members]
    return mine, [c for c in named if c not in mine], direct


def _group(title: str, channels: Iterable[Channel], current: Channel, viewer: Viewer) -> Markup:
    link = Markup('<a class="{}" href="{}">{}</a>')
    return _links(
        title,
        _NOTHING.join(
            link.format("current" if c is current else "", viewer.place(c), _marked_title(c, viewer)) for c in channels
        ),
    )


def _links(title: str, links: Markup) -> Markup:
    return Markup("<section><h2>{}</h2>{}</section>").format(title, links) if links else _NOTHING


def _marked_title(channel: Channel, viewer: Viewer) -> Markup:
    if channel.kind is ChannelKind.PRIVATE:
        return _LOCK + channel.name
    if channel.is_shared:
        return Markup("⇄ {}").format(channel.name)
    mark = "#" if channel.kind is ChannelKind.PUBLIC else "●"
    return Markup("{} {}").format(
        mark, channel.name if channel.kind is ChannelKind.PUBLIC else viewer.title_of(channel)
    )


def _conversation(sight: Sight, viewer: Viewer) -> Markup:
    channel = sight.channel
    head = Markup('<header><h2>{}</h2><span class="topic">{}</span><span class="count">{} people</span></header>')
    frame = Markup('<main class="conversation">{}<div class="messages" id="timeline">{}</div>{}</main>')
    return frame.format(
        head.format(_marked_title(channel, viewer), channel.topic, len(channel.members)),
        timeline_html(sight, viewer),
        _composer(channel, viewer, "", f"Message {viewer.title_of(channel)}"),
    )


def _thread(sight: Sight, viewer: Viewer) -> Markup:
    frame = Markup(
        '<aside class="thread-panel"><header><h2>Thread</h2><a class="close" href="{}">✕</a></header>'
        '<div class="messages" id="thread">{}</div>{}</aside>'
    )
    composer = _composer(sight.channel, viewer, sight.thread_ts, "Reply…")
    return frame.format(viewer.place(sight.channel), thread_html(sight, viewer), composer)


def _composer(channel: Channel, viewer: Viewer, thread_ts: str, hint: str) -> Markup:
    if viewer.person.id not in channel.members or channel.archived:
        why = "This channel is archived." if channel.archived else "You are looking at a channel that you are not in."
        return Markup('<p class="cannot">{}</p>').format(why)
    form = Markup(
        '<form class="composer" method="post" action="/client/{}/post"><input type="hidden" name="as" value="{}">'
        '<input type="hidden" name="thread" value="{}">'
        '<textarea name="text" rows="2" placeholder="{}" aria-label="{}"></textarea><button>Send</button></form>'
    )
    return form.format(channel.id, viewer.person.id, thread_ts, hint, hint)
