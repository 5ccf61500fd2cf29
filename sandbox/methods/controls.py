"""sandbox.*: what Slack has no method for: what a person sees and does, time, and faults."""

from dataclasses import asdict
from typing import cast

from sandbox.access import joined, visible
from sandbox.calls import Call, Method, Methods
from sandbox.faults import CallFault, EventFault
from sandbox.interactions import command, press, press_home
from sandbox.state import Ephemeral, Person
from sandbox.types import Json, Refused

_ACK_S = 3.0  # Source: how long Slack waits for an interaction's ack


def _person(call: Call) -> Person:
    """Whoever `user` names, else the caller."""
    return call.workspace.person(call.args.text("user") or call.caller.person.id)


def _ephemerals(call: Call) -> Json:
    person, channel = _person(call), call.args.text("channel")
    found = [e for e in call.workspace.ephemerals if e.user == person.id and channel in ("", e.channel)]
    return {"ok": True, "messages": [asdict(ephemeral) for ephemeral in found]}


def _press_button(call: Call) -> Json:
    if not call.manifest.interactive:
        raise Refused("interactivity_not_enabled")
    with call.workspace.lock:
        person = _person(call)
        channel = call.workspace.channels.get(call.args.text("channel"))
        if channel is None or person.id not in channel.members:
            raise Refused("channel_not_found")
        text = call.args.text
        payload = press(call.workspace, person, channel, text("ts"), text("action_id"), text("value"))
    return _ask(call, "interactive", payload)


def _press_home(call: Call) -> Json:
    if not call.manifest.interactive:
        raise Refused("interactivity_not_enabled")
    with call.workspace.lock:
        text = call.args.text
        payload = press_home(call.workspace, _person(call), text("action_id"), text("value"))
    return _ask(call, "interactive", payload)


def _slash_command(call: Call) -> Json:
    if call.args.text("command") not in call.manifest.commands:
        raise Refused("unknown_command")
    with call.workspace.lock:
        channel = visible(call.workspace, call.caller, call.args.text("channel"))
        payload = command(call.workspace, _person(call), channel, call.args.text("command"), call.args.text("text"))
    answer = _ask(call, "slash_commands", payload)
    _show(call, payload, cast("Json", answer["response"]))
    return answer


def _show(call: Call, payload: Json, response: Json) -> None:
    """What the app says in its ack, where the command was typed, to whoever typed it."""
    if not response.get("text"):
        return
    with call.workspace.lock:
        shown = Ephemeral(
            ts=call.workspace.clock.next_ts(),
            channel=str(payload["channel_id"]),
            user=str(payload["user_id"]),
            text=str(response["text"]),
            blocks=(),
            attachments=(),
            thread_ts="",
            bot_id=call.workspace.app.bot_id,
        )
        call.workspace.ephemerals.append(shown)


def _ask(call: Call, kind: str, payload: Json) -> Json:
    envelope = call.delivery.ask(kind, payload, _ACK_S)
    return {"ok": True, "acked": envelope.acked, "response": envelope.response}


def _open_home(call: Call) -> Json:
    person = _person(call)
    workspace = call.workspace
    channel = workspace.open_direct([person.id, workspace.app.user_id])
    fields: Json = {"user": person.id, "channel": channel.id, "tab": call.args.text("tab", "home")}
    view = workspace.homes.get(person.id)
    call.feed.about("app_home_opened", fields | ({"view": view} if view else {}), channel)
    return {"ok": True, "channel": channel.id, "view": view}


def _home(call: Call) -> Json:
    return {"ok": True, "view": call.workspace.homes.get(_person(call).id)}


def _session(call: Call) -> Json:
    """What the app has set on a thread: session, title, text, prompts."""
    channel = joined(call.workspace, call.caller, call.args.text("channel"))
    key = (channel.id, call.args.text("thread_ts"))
    status = call.workspace.statuses.get(key, {})
    return {"ok": True, **status, "suggested": call.workspace.prompts.get(key)}


def _advance_clock(call: Call) -> Json:
    call.workspace.clock.advance(call.args.number("seconds", 0.0))
    call.delivery.wake()
    return {"ok": True, "now": call.workspace.clock.now()}


def _repeat_event(call: Call) -> Json:
    sent = call.delivery.repeat(call.args.text("event_id"), call.args.integer("times", 1))
    if not sent:
        raise Refused("event_not_found")
    return {"ok": True, "sent": sent}


def _event_fault(call: Call) -> EventFault:
    args = call.args
    return EventFault(args.text("event"), args.integer("count", 1), args.number("seconds", 0.0))


def _drop_events(call: Call) -> Json:
    call.faults.dropped.append(_event_fault(call))
    return {"ok": True}


def _delay_events(call: Call) -> Json:
    call.faults.delayed.append(_event_fault(call))
    return {"ok": True}


def _lose_acks(call: Call) -> Json:
    call.faults.lost_acks += call.args.integer("count", 1)
    return {"ok": True}


def _break_connections(call: Call) -> Json:
    how = call.args.text("how", "cut")
    if how == "cut":
        return {"ok": True, "broken": call.socket_mode.cut()}
    if how not in ("warning", "refresh_requested", "link_disabled"):
        raise Refused("invalid_arguments")
    return {"ok": True, "broken": call.socket_mode.ask_to_reconnect(how)}


def _rate_limit(call: Call) -> Json:
    seconds = call.args.integer("retry_after", 1)
    refusal = Refused("ratelimited", status=429, retry_after_s=seconds)
    call.faults.refused.append(CallFault(call.args.text("method"), call.args.integer("count", 1), refusal))
    return {"ok": True}


def _fail(call: Call) -> Json:
    refusal = Refused(call.args.text("error"), status=call.args.integer("status", 200))
    call.faults.refused.append(CallFault(call.args.text("method"), call.args.integer("count", 1), refusal))
    return {"ok": True}


def _calls(call: Call) -> Json:
    found = call.log.calls(call.args.text("method"))
    if call.args.flag("clear"):
        call.log.clear()
    return {"ok": True, "calls": [asdict(logged) for logged in found]}


def _pending(call: Call) -> Json:
    return {"ok": True, "envelopes": call.delivery.pending(), "connections": call.socket_mode.count()}


METHODS: Methods = {
    "sandbox.ephemerals": Method(_ephemerals),
    "sandbox.pressButton": Method(_press_button, required=("channel", "ts", "action_id"), waits=True),
    "sandbox.pressHome": Method(_press_home, required=("action_id",), waits=True),
    "sandbox.slashCommand": Method(_slash_command, required=("channel", "command"), waits=True),
    "sandbox.openHome": Method(_open_home),
    "sandbox.home": Method(_home),
    "sandbox.session": Method(_session, required=("channel",)),
    "sandbox.advanceClock": Method(_advance_clock, required=("seconds",)),
    "sandbox.repeatEvent": Method(_repeat_event),
    "sandbox.dropEvents": Method(_drop_events),
    "sandbox.delayEvents": Method(_delay_events, required=("seconds",)),
    "sandbox.loseAcks": Method(_lose_acks),
    "sandbox.breakConnections": Method(_break_connections),
    "sandbox.rateLimit": Method(_rate_limit, required=("method",)),
    "sandbox.fail": Method(_fail, required=("method", "error")),
    "sandbox.calls": Method(_calls),
    "sandbox.pending": Method(_pending),
}
