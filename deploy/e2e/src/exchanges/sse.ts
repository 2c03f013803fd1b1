/** Returns server-sent events without names: a text is sent as it stands, such as `[DONE]`. */
export function sse(...events: readonly (object | string)[]): string {
  return events.map((event) => `data: ${textOf(event)}\n\n`).join("");
}

/** Returns server-sent events that are named by their `type`, as Anthropic and the Responses API send them. */
export function typedSse(...events: readonly { type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${textOf(event)}\n\n`).join("");
}

function textOf(event: object | string): string {
  return typeof event === "string" ? event : JSON.stringify(event);
}
