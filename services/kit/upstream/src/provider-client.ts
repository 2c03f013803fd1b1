import type { Readable } from "node:stream";
import type { Catalog, Provider, Slot } from "@tollgate/catalog/model";
import type { Environment } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { Agent, errors } from "undici";
import { SlotFailure } from "./failure.ts";
import { type ProviderBody, ProviderCall, type SentBody } from "./provider-call.ts";
import { readRefusal } from "./refusal.ts";
import { tracedSend, upgradeHeaders } from "./traced-requests.ts";

/** Connections kept to one provider at the most; calls past that wait for one. */
const maxConnections = 2_048;
const connectTimeoutMs = 5_000;
/**
 * Idle connections are let go before the provider does it, or a call would now and then meet one
 * that is just being closed. Common Python servers close after 5 s.
 */
const keepAliveMs = 4_000;
/**
 * The largest JSON answer that is read. It must fit a message between services, see `grpc-channel`.
 */
const maxAnswerBytes = 32 * 1024 * 1024;

export interface ProviderClient {
  /**
   * Posts a JSON body and answers once a 2xx status has come, the body still on its way. Raises a
   * SlotFailure for everything else, and the signal's reason when it aborts.
   */
  post(slot: Slot, body: JsonBytes, call: PostCall): Promise<ProviderAnswer>;
  /** The same for any other request. */
  send(slot: Slot, request: ProviderRequest, signal: AbortSignal): Promise<ProviderAnswer>;
  /** The WebSocket address of a slot that has one. */
  streamUrl(slot: Slot): string;
  /** The headers of an upgrade to it: who we are to the provider, and which request this is. */
  streamHeaders(slot: Slot, requestId: string): Record<string, string>;
  /** Raises a StartError when a variable that the catalog names is not set. */
  check(catalog: Catalog): void;
  close(): Promise<void>;
}

/** A JSON body, whole or in pieces. */
export type JsonBytes = Uint8Array | readonly Uint8Array[];

export interface PostCall {
  /** Told to the provider, so that its logs can be held against ours. */
  requestId: string;
  accept: "application/json" | "text/event-stream" | "audio/*";
  signal: AbortSignal;
}

export interface ProviderRequest {
  method: "GET" | "POST";
  /** What follows the provider's base URL. */
  path: string;
  /** Added to the path's own query. */
  query?: Record<string, string>;
  headers: Record<string, string>;
  body?: SentBody;
}

export interface ProviderAnswer {
  /** 200 to 299. */
  status: number;
  contentType: string;
  body: ProviderBody;
}

/** A pooled HTTP client to all providers. Their keys come from `env` and go nowhere else. */
export function createProviderClient(env: Environment): ProviderClient {
  const agent = new Agent({
    connections: maxConnections,
    connect: { timeout: connectTimeoutMs },
    keepAliveTimeout: keepAliveMs,
  });
  const targetOf = rememberTargets(env);
  const sendOne: ProviderClient["send"] = async (slot, request, signal) =>
    tracedSend(
      request.method,
      () => baseUrlOf(slot.provider, env),
      (trace) => {
        const headers = { ...request.headers, ...trace };
        return send(agent, targetOf(slot, request), slot.provider, { ...request, headers }, signal);
      },
    );
  return {
    post(slot, body, { accept, requestId, signal }) {
      const sent = sendable(body);
      const type = { "content-type": "application/json", accept };
      const headers = { ...type, ...nameRequest(requestId), ...sent.headers };
      const order: ProviderRequest = { method: "POST", path: slot.path, headers, body: sent.body };
      return sendOne(slot, order, signal);
    },
    send: sendOne,
    streamUrl: (slot) => streamUrlOf(slot, env),
    streamHeaders: (slot, requestId) => ({
      ...authorizationFor(apiKeyOf(slot.provider, env)),
      ...nameRequest(requestId),
      ...upgradeHeaders(streamUrlOf(slot, env)),
    }),
    check(catalog) {
      for (const model of catalog.models.values()) {
        for (const slot of model.chain) requireVariables(slot.provider, env);
      }
    },
    close: () => agent.destroy(),
  };
}

/** Where a request goes, and by which key. */
interface Target {
  origin: string;
  path: string;
  apiKey: string | undefined;
}

/** A slot's own path is looked up once: it is where nearly all requests go. */
function rememberTargets(env: Environment) {
  const targets = new WeakMap<Slot, Target>();
  return (slot: Slot, { path, query }: ProviderRequest): Target => {
    if (path !== slot.path || query !== undefined)
      return targetAt(slot, withQuery(path, query), env);
    const known = targets.get(slot);
    if (known !== undefined) return known;
    const target = targetAt(slot, path, env);
    targets.set(slot, target);
    return target;
  };
}

function targetAt({ provider }: Slot, path: string, env: Environment): Target {
  const url = `${baseUrlOf(provider, env)}${path}`;
  if (!URL.canParse(url)) throw new SlotFailure("unreachable", "the provider has no valid URL");
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}`, apiKey: apiKeyOf(provider, env) };
}

async function send(
  agent: Agent,
  { origin, path, apiKey }: Target,
  { timeoutMs }: Provider,
  { method, headers, body }: ProviderRequest,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  const call = new ProviderCall(signal, body);
  const sent = { ...headers, ...authorizationFor(apiKey) };
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  // The client takes anything that can be iterated, of which its types do not tell.
  const taken = (body ?? null) as Uint8Array | Readable | null;
  if (!signal.aborted) {
    agent.dispatch({ origin, path, method, headers: sent, body: taken, ...limits }, call);
  }
  try {
    const { status, contentType } = await call.head;
    if (status >= 200 && status < 300) return { status, contentType, body: call };
    throw await readRefusal(status, contentType, call, apiKey);
  } catch (error) {
    throw transportFailure(error, signal);
  }
}

/** Pieces that come to no more are sent as one: the copy costs less than many writes. */
const maxJoinedBytes = 1024 * 1024;

/** Large bodies go to the socket piece by piece, under their length, and are not copied before. */
function sendable(body: JsonBytes): Pick<ProviderRequest, "headers"> & { body: JsonBytes } {
  if (body instanceof Uint8Array) return { headers: {}, body };
  const bytes = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (bytes <= maxJoinedBytes) return { headers: {}, body: Buffer.concat(body) };
  return { headers: { "content-length": String(bytes) }, body };
}

function apiKeyOf(provider: Provider, env: Environment): string | undefined {
  return provider.apiKeyEnv === undefined ? undefined : env[provider.apiKeyEnv];
}

function authorizationFor(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}

/** The header by which a client names its request to OpenAI's API, and to those that follow it. */
export function nameRequest(requestId: string): Record<string, string> {
  return { "x-client-request-id": requestId };
}

function withQuery(path: string, query: Record<string, string> = {}): string {
  const added = new URLSearchParams(query).toString();
  if (added === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}${added}`;
}

/**
 * Reads a JSON answer whole: its bytes, and what they say. Raises a SlotFailure when it is cut, too
 * large or not JSON.
 */
export async function readJson(
  answer: ProviderAnswer,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; value: unknown }> {
  const bytes = await readBytes(answer.body, maxAnswerBytes, signal);
  try {
    return { bytes, value: JSON.parse(bytes.toString("utf8")) };
  } catch (cause) {
    throw new SlotFailure("rejected", "the provider's answer is not JSON", { cause });
  }
}

/** The same for an answer that must be an object. */
export async function readJsonObject(
  answer: ProviderAnswer,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; value: JsonObject }> {
  const { bytes, value } = await readJson(answer, signal);
  if (isJsonObject(value)) return { bytes, value };
  throw new SlotFailure("rejected", "the provider's answer is no JSON object");
}

/**
 * What a failed read or write means: the signal's reason when the call was given up, else a
 * SlotFailure. A failure that has a meaning already keeps it.
 */
export function transportFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof SlotFailure || !(error instanceof Error)) return error;
  const late =
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError;
  const what = late ? "the provider took too long" : "the connection to the provider failed";
  const code = "code" in error ? ` (${String(error.code)})` : "";
  return new SlotFailure("unreachable", `${what}${code}`, { cause: error });
}

async function readBytes(
  body: AsyncIterable<Buffer>,
  limit: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of body) {
      size += part.length;
      if (size > limit) throw new SlotFailure("oversized", "the provider's answer is too large");
      parts.push(part);
    }
  } catch (error) {
    throw transportFailure(error, signal);
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

function baseUrlOf(provider: Provider, env: Environment): string {
  if (provider.baseUrl !== undefined) return provider.baseUrl;
  const url = provider.baseUrlEnv === undefined ? undefined : env[provider.baseUrlEnv];
  if (url === undefined) throw new SlotFailure("unreachable", "the provider has no base URL");
  return url.replace(/\/+$/, "");
}

function streamUrlOf({ provider, stream }: Slot, env: Environment): string {
  if (stream === undefined) throw new SlotFailure("unreachable", "the slot has no stream");
  if ("url" in stream) return stream.url;
  return `${baseUrlOf(provider, env).replace(/^http/, "ws")}${stream.path}`;
}

function requireVariables(provider: Provider, env: Environment): void {
  for (const [field, variable] of [
    ["base_url_env", provider.baseUrlEnv],
    ["api_key_env", provider.apiKeyEnv],
  ] as const) {
    if (variable === undefined || env[variable]) continue;
    const path = `providers.${provider.name}.${field}`;
    throw new StartError(`${path}: the environment variable ${variable} is not set`);
  }
}
