import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import type { Simulator } from "@tollgate/simulator/simulator";
import { expect } from "vitest";
import type { ExchangeResult, ExchangeUsage } from "./exchange.ts";
import type { ExchangeCase } from "./exchange-cases.ts";
import { type ExchangeRun, readRun } from "./run-exchange.ts";
import type { ReadResult } from "./wires/result.ts";

/** Checks what the client of a case got, and what it is billed by its entry in the ledger. */
export function expectExchange(
  one: ExchangeCase,
  run: ExchangeRun,
  entry: Entry | undefined,
  { replies }: Simulator,
): void {
  const { exchange, wire } = one;
  const expected = { ...exchange.expected, ...exchange.on?.[wire] };
  const label = `on ${wire}: ${run.text.slice(0, 2_000)}`;
  const read = readRun(one, run);
  const isBroken = expected.error !== undefined && expected.status === undefined;
  if (isBroken) {
    expect(read.error, label).toBe(expected.error);
    expectCharge(one, entry, label);
    return;
  }
  const { status = 200, retryAfter } = expected;
  expect([run.status, run.retryAfter], label).toEqual([status, retryAfter]);
  expect(said(read), label).toEqual(expectedToSay(expected));
  expectCharge(one, entry, label);
  if (expected.error === undefined) expectUsage(one, read, label);
  if (exchange.sent === undefined) return;
  expect(replies.requestTo(one.id)?.body, label).toMatchObject(exchange.sent);
}

function said({ text, reasoning, calls, finish, error }: ReadResult) {
  // How a failed response ended so far is of no use.
  return { text, reasoning, calls, finish: error === undefined ? finish : undefined, error };
}

function expectedToSay({ text = "", reasoning = "", calls = [], finish, error }: ExchangeResult) {
  const usual = calls.length > 0 ? "tool_calls" : "stop";
  return {
    text,
    reasoning,
    calls,
    finish: error === undefined ? (finish ?? usual) : undefined,
    error,
  };
}

function expectCharge({ exchange }: ExchangeCase, entry: Entry | undefined, label: string): void {
  const { usage, cost = 0 } = exchange;
  expect(Number(-(entry?.amountNanoUsd ?? 0n)) / 1_000, `micro-USD charged ${label}`).toBe(cost);
  const lines: Record<string, number> = {};
  for (const { dimension, quantity } of entry?.lines ?? []) {
    if (quantity > 0n) lines[dimension] = Number(quantity);
  }
  expect(lines, `dimensions ${label}`).toEqual(usage === undefined ? {} : linesOf(usage));
}

function linesOf(usage: ExchangeUsage): Record<string, number> {
  const { input = 0, cached = 0, written = 0, writtenForAnHour = 0, output = 0 } = usage;
  const lines = {
    input,
    cached_input: cached,
    cache_write: written,
    cache_write_1h: writtenForAnHour,
    audio_input: usage.audio ?? 0,
    output,
    ...usage.tools,
  };
  return Object.fromEntries(Object.entries(lines).filter(([, quantity]) => quantity > 0));
}

/** Checks the usage that the client is told. On chat, its details are those of the provider. */
function expectUsage({ exchange, wire }: ExchangeCase, { usage }: ReadResult, label: string): void {
  const { input = 0, cached = 0, output = 0, reasoning, ...writes } = exchange.usage ?? {};
  const prompt =
    input + cached + (writes.written ?? 0) + (writes.writtenForAnHour ?? 0) + (writes.audio ?? 0);
  const isChat = wire === "chat";
  expect(usage, `usage ${label}`).toMatchObject({ prompt, output, ...(isChat ? {} : { cached }) });
  if (isChat) expect(usage?.cost, `cost ${label}`).toBe((exchange.cost ?? 0) / 1e6);
  if (reasoning === undefined || usage?.reasoning === undefined) return;
  expect(usage.reasoning, `reasoning ${label}`).toBe(reasoning);
}
