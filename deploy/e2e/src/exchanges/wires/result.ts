import type { JsonObject } from "@tollgate/core/json";
import { expect } from "vitest";
import type { ExchangeCall } from "../exchange.ts";

/** What a response of any wire says. */
export interface ReadResult {
  text: string;
  reasoning: string;
  calls: ExchangeCall[];
  finish: string | undefined;
  error: string | undefined;
  usage: ReadUsage | undefined;
}

/** Usage as all wires report it. */
export interface ReadUsage {
  /** With those of the cache. */
  prompt: number;
  /** Read from the cache. */
  cached: number;
  output: number;
  /** The part of the output that is reasoning; undefined where the wire does not say. */
  reasoning?: number | undefined;
  /** In USD; undefined where the wire does not say. */
  cost?: number | undefined;
}

/** Returns a result that says nothing yet. */
export function emptyResult(): ReadResult {
  const nothing = { finish: undefined, error: undefined, usage: undefined };
  return { text: "", reasoning: "", calls: [], ...nothing };
}

/** Returns a call with its parsed arguments; with their text where it is no JSON. */
export function readCall(tool: string, text: string): ExchangeCall {
  if (text.trim() === "") return [tool, {}];
  try {
    return [tool, JSON.parse(text) as JsonObject];
  } catch {
    return [tool, text];
  }
}

/** Returns the events of a stream, parsed, and `[DONE]`. Where an event has a name, that is its type. */
export function readEvents(text: string): (JsonObject | "[DONE]")[] {
  expect(text, "the stream ends within an event").toMatch(/\r?\n\r?\n$/);
  return text.split(/\r?\n\r?\n/).flatMap((event): (JsonObject | "[DONE]")[] => {
    const fields = event.split(/\r?\n/);
    const [data, ...more] = fields.filter((field) => field.startsWith("data: "));
    expect(more, "an event with several lines of data").toEqual([]);
    if (data === undefined) return [];
    if (data === "data: [DONE]") return ["[DONE]"];
    const value = JSON.parse(data.slice("data: ".length)) as JsonObject;
    const name = fields.find((field) => field.startsWith("event: "));
    if (name !== undefined) expect(name).toBe(`event: ${value.type}`);
    return [value];
  });
}
