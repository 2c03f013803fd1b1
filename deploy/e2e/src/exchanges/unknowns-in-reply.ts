import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { createUnknowns, type Unknowns } from "@tollgate/core/testing/unknowns";
import type { Reply } from "@tollgate/simulator/replies";
import { converseEvent } from "./bedrock-frames.ts";

/** What the model writes freely, and the lists to which no vendor adds. */
const leftAlone = {
  free: ["arguments", "args", "input"],
  lists: ["choices", "candidates"],
};

/** A reply to which a provider has added, and how much. */
export interface ReplyWithUnknowns {
  readonly reply: Reply;
  readonly added: number;
}

/**
 * Returns a reply with unknown members in its objects, unknown items in its lists, and unknown events,
 * blocks, deltas, comments and heartbeats at random places between its events. The same seed adds the same.
 */
export function addUnknowns(reply: Reply, seed: number): ReplyWithUnknowns {
  const unknowns = createUnknowns(seed, leftAlone);
  const changed = change(reply, unknowns);
  return { reply: changed, added: unknowns.added() };
}

function change(reply: Reply, unknowns: Unknowns): Reply {
  const { body, frames } = reply;
  if (frames !== undefined) return { ...reply, frames: changeFrames(frames, unknowns) };
  if (Array.isArray(body)) return { ...reply, body: body.map((item) => unknowns.addTo(item)) };
  if (typeof body !== "string") return { ...reply, body: unknowns.addTo(body) };
  const json = parse(body);
  if (json === undefined) return { ...reply, body: changeStream(body, unknowns) };
  const [space = ""] = /^\s*/.exec(body) ?? [];
  return { ...reply, body: space + JSON.stringify(unknowns.addTo(json)) };
}

type Frame = NonNullable<Reply["frames"]>[number];

/** Unknown deltas belong to the block of the frame before; unknown blocks have indexes of their own. */
function changeFrames(frames: readonly Frame[], unknowns: Unknowns): Frame[] {
  const known = frames.map(([headers, payload]): Frame => [headers, unknowns.addTo(payload)]);
  let next = 90;
  return unknowns
    .among(
      known.map((frame) => [frame]),
      (name, value) => {
        next += 1;
        const place = { contentBlockIndex: next };
        if (next % 3 === 0) return [converseEvent(name, value)];
        const delta = converseEvent("contentBlockDelta", { ...place, delta: { [name]: value } });
        if (next % 3 === 1) return [delta, converseEvent("contentBlockStop", place)];
        const start = converseEvent("contentBlockStart", { ...place, start: { [name]: value } });
        return [start, delta, converseEvent("contentBlockStop", place)];
      },
    )
    .flat();
}

/** One event of a stream, with its end. */
type StreamEvent = string;

function changeStream(text: string, unknowns: Unknowns): string {
  const events = text.split(/(?<=\r?\n\r?\n)/).map((event) => changeEvent(event, unknowns));
  if (events.some((event) => event.includes('"content_block_')))
    return changeClaude(events, unknowns);
  const isTyped = events.some((event) => /^event: (response\.|[a-z]+-)/.test(event));
  // After an event that lacks its empty line, nothing can follow.
  const isOpen = !/\r?\n\r?\n$/.test(text);
  const last = isOpen ? events.splice(-1) : [];
  const heartbeats = isTyped ? typedHeartbeats : untypedHeartbeats;
  let turn = 0;
  const changed = unknowns.among(events, (name, value) => {
    turn += 1;
    return heartbeats[turn % heartbeats.length]?.(name, value) ?? "";
  });
  return renumbered([...changed, ...last]).join("");
}

function changeEvent(event: StreamEvent, unknowns: Unknowns): StreamEvent {
  return event.replace(/(?<=^data: ?)\{.*\}/m, (data) => {
    const value = parse(data);
    return value === undefined ? data : JSON.stringify(unknowns.addTo(value));
  });
}

type Heartbeat = (name: string, value: JsonObject) => StreamEvent;

const comment: Heartbeat = () => ": keep-alive\n\n";
const retry: Heartbeat = () => "retry: 5000\n\n";
const named: Heartbeat = (name, value) =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...value })}\n\n`;
const untypedHeartbeats: readonly Heartbeat[] = [
  comment,
  () => "event: ping\ndata: {}\n\n",
  (_, value) => `data: ${JSON.stringify(value)}\n\n`,
  () => "\n\n",
  retry,
  named,
];
const typedHeartbeats: readonly Heartbeat[] = [comment, named, retry];

/** Numbers the events of a response again, the unknown ones, too. */
function renumbered(events: readonly StreamEvent[]): StreamEvent[] {
  if (!events.some((event) => event.includes('"sequence_number":'))) return [...events];
  let number = -1;
  return events.map((event) =>
    event.replace(/(?<=^data: )\{.*\}/m, (data) => {
      number += 1;
      return JSON.stringify({ ...(parse(data) as JsonObject), sequence_number: number });
    }),
  );
}

/** Adds events between those of a message's stream, deltas within its blocks, and blocks between them. */
function changeClaude(events: readonly StreamEvent[], unknowns: Unknowns): string {
  let turn = 0;
  const added = unknowns.among(events, (name, value) => {
    turn += 1;
    if (turn % 3 === 0) return named(name, value);
    return turn % 3 === 1
      ? comment(name, value)
      : `unknown ${JSON.stringify({ type: name, ...value })}`;
  });
  let isOpen = false;
  let index = -1;
  const placed = added.map((event) => {
    if (event.startsWith("unknown ")) {
      const unknown = JSON.parse(event.slice("unknown ".length)) as JsonObject;
      if (isOpen) return claudeEvent("content_block_delta", { index, delta: unknown });
      if (index < 0) return named(String(unknown.type), unknown);
      index += 1;
      return (
        claudeEvent("content_block_start", { index, content_block: unknown }) +
        claudeEvent("content_block_delta", { index, delta: unknown }) +
        claudeEvent("content_block_stop", { index })
      );
    }
    if (event.startsWith("event: content_block_start")) {
      isOpen = true;
      index += 1;
    }
    if (event.startsWith("event: content_block_stop")) isOpen = false;
    if (event.startsWith("event: message_delta")) index = -1;
    return event.replace(/(?<="index":)\d+/, String(index));
  });
  return placed.join("");
}

function claudeEvent(type: string, members: JsonObject): StreamEvent {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
