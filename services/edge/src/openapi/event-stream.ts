/** An event of a stream that is described by an example. */
export interface ExampleEvent {
  data: unknown;
  /** Default: the event has no name. */
  name?: string;
}

/** Returns the text of a stream of server-sent events. */
export function eventStream(events: readonly ExampleEvent[]): string {
  return events.map(textOf).join("");
}

/** The data of an event that has its name as its `type`. */
interface TypedData {
  type: string;
  [member: string]: unknown;
}

/** Returns the text of a stream whose events are named by the `type` of their data. */
export function typedEventStream(events: readonly TypedData[]): string {
  return eventStream(events.map((data) => ({ data, name: data.type })));
}

function textOf({ data, name }: ExampleEvent): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
}
