"""The app's Home tab as a page."""

from markupsafe import Markup

from sandbox.state import Channel
from sandbox.web.blocks import blocks_html, objects
from sandbox.web.layout import page, sidebar
from sandbox.web.viewer import Viewer

_EMPTY = Markup('<p class="note">The app shows nothing here.</p>')


def home_page(app_dm: Channel, viewer: Viewer, handbook: bool) -> str:
    """The workspace with the viewer's Home tab open."""
    app = viewer.workspace.people[viewer.workspace.app.user_id]
    body = Markup(
        '<div class="workspace" data-live="/home/live" data-mark="older" data-person="{}" '
        'data-thread="" data-highlight="">{}'
        '<main class="conversation"><header><h2>{} · Home</h2></header>'
        '<div class="messages" id="timeline">{}</div></main></div>'
    ).format(viewer.person.id, sidebar(app_dm, viewer, handbook), app.real_name, home_html(viewer))
    return page(f"Home · {viewer.workspace.team.name}", body, "client")


def home_html(viewer: Viewer) -> Markup:
    """What the app has last published for the viewer."""
    view = viewer.workspace.homes.get(viewer.person.id)
    shown = blocks_html(objects(view.get("blocks")), viewer) if view else _EMPTY
    return Markup('<div class="home" data-ts="home">{}</div>').format(shown)
