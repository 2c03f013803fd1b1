import type { JsonObject } from "@tollgate/core/json";
import type { Reply } from "@tollgate/simulator/replies";
import type { ExchangeWire } from "./exchange-wire.ts";
import type { ExchangeVendor } from "./vendors.ts";

/**
 * A small exchange with a provider: a client's request, what the provider is sent and sends back, and what
 * the client of each wire then gets and pays.
 *
 * **To add one**, append it to a list in `deploy/e2e/src/exchanges/VENDOR/THEME.ts`, or begin a new file
 * there: each list that it exports is of exchanges. `exchanges.test.ts` finds the file, and runs each
 * exchange on every wire of its request. Write the bytes yourself, from the vendor's reference, and no
 * larger than what they show needs. `sse.ts`, `chunks.ts` and their like shorten the usual ones.
 *
 *     {
 *       name: "a heartbeat between two chunks is skipped",
 *       stream: true,
 *       reply: { body: sse(delta({ content: "Hel" })) + ": ping\n\n" + sse(delta({ content: "lo." }), ...end("stop")) },
 *       expected: { text: "Hello." },
 *       usage: { input: 10, output: 5 },
 *       cost: 600,
 *     }
 *
 * Without `request`, the client says "Hi". A wire whose result differs has its own members in `on`. Run one
 * by `npm run suites -- --project all deploy/e2e/one-process/exchanges.test.ts -t "VENDOR: NAME"`, all of a
 * vendor by `-t "VENDOR:"`.
 */
export interface Exchange {
  /** The rule that it holds, unique among its vendor's. */
  readonly name: string;
  /** Default: that of the vendor's folder. */
  readonly vendor?: ExchangeVendor;
  /** The provider's id of the model. Default: the vendor's. */
  readonly model?: string;
  /** Further members of the catalog's entry of the model. */
  readonly catalog?: object;
  /** Whether the client asks for a stream. */
  readonly stream?: boolean;
  /** Default: `hello`, on all wires. */
  readonly request?: ExchangeRequest;
  /** The wires on which it is made. Default: those that the request has a body for. */
  readonly wires?: readonly ExchangeWire[];
  /** Members of the body that the provider is sent, matched as a subset. */
  readonly sent?: JsonObject;
  /** The provider's bytes. */
  readonly reply: Reply;
  readonly expected: ExchangeResult;
  /** What differs on a wire. */
  readonly on?: { readonly [Wire in ExchangeWire]?: Partial<ExchangeResult> };
  /** The tokens that are billed, by dimension. Omitted where nothing is. */
  readonly usage?: ExchangeUsage;
  /**
   * In micro-USD, at 10 USD a million tokens of input and of writes to the cache, 20 of such for an hour,
   * 1 of cached input, and 100 of output. Default: 0.
   */
  readonly cost?: number;
  /** Why it fails so far. A marked exchange that holds fails the test, so that the mark goes. */
  readonly fails?: string;
}

/** The bodies of one request on the wires that can express it, without `model` and `stream`. */
export type ExchangeRequest = { readonly [Wire in ExchangeWire]?: JsonObject };

/** What the client gets, in terms that all wires have. */
export interface ExchangeResult {
  /** The visible text, or that of a refusal. Default: none. */
  readonly text?: string;
  /** The text of the model's reasoning. Default: none. */
  readonly reasoning?: string;
  /** The calls of tools, in order. Default: none. */
  readonly calls?: readonly ExchangeCall[];
  /** Default: `tool_calls` where there are calls, else `stop`. */
  readonly finish?: "stop" | "length" | "tool_calls" | "content_filter";
  /** The code of the error that the client gets, in place of a result or at the end of a stream. */
  readonly error?: string;
  /**
   * The status. Default: 200; where a stream of that status fails, not compared, as the text: they depend on
   * how much the client was sent before.
   */
  readonly status?: number;
  /** The header `Retry-After`. Default: none. */
  readonly retryAfter?: string;
}

/** A call: its tool and its arguments, or their text where it is no JSON. */
export type ExchangeCall = readonly [tool: string, input: JsonObject | string];

/** Tokens by dimension. Those that are not named are zero. */
export interface ExchangeUsage {
  /** Without those of the cache. */
  readonly input?: number;
  readonly cached?: number;
  readonly written?: number;
  readonly writtenForAnHour?: number;
  /** Of audio in the prompt. Its price is in `catalog`. */
  readonly audio?: number;
  /** With those of reasoning. */
  readonly output?: number;
  /** The part of the output that clients are told is reasoning. Default: it is not compared. */
  readonly reasoning?: number;
  /** The calls of tools that the provider runs: `{ "tool:web_search": 2 }`. Their price is in `catalog`. */
  readonly tools?: Readonly<Record<string, number>>;
}
