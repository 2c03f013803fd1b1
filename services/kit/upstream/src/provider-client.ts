import { Readable } from "node:stream";
import type { IdentityValues } from "@tollgate/catalog/identity";
import type { Provider, Slot } from "@tollgate/catalog/model";
import type { Credentials } from "@tollgate/catalog/provider-kind";
import type { ProviderRefusal } from "@tollgate/catalog/provider-refusal";
import type { Environment } from "@tollgate/core/config";
import { joinSmallBuffers } from "@tollgate/core/small-buffers";
import type { Dispatcher } from "undici";
import { apiKeyOf, credentialsOf } from "./api-key.ts";
import { Connections, type UpgradeConnection } from "./connections/connections.ts";
import { acceptEncoding, decodeBody } from "./decoded-body.ts";
import { SlotFailure } from "./failure.ts";
import { Identities, type ReportLateRefresh } from "./identities/identities.ts";
import { ProviderCall, type ProviderResponseHead, type SentBody } from "./provider-call.ts";
import { ProviderRequestIds } from "./provider-request-ids.ts";
import { type ProviderResponse, transportFailure } from "./provider-response.ts";
import { redact } from "./redaction.ts";
import { readRefusal } from "./refusal.ts";
import { requestIdHeader, requestIdIn } from "./request-id-header.ts";
import { noSecrets, type SecretValues } from "./secret-values.ts";
import { tracedSend, upgradeHeaders } from "./traced-requests.ts";

export interface ProviderClient {
  /**
   * Posts a JSON body. Resolves with a 2xx response once its head has arrived. Throws a SlotFailure
   * for any other response or none, and the signal's reason when it aborts: an UnsentCall where
   * nothing was sent.
   */
  post(slot: Slot, body: JsonBytes, call: PostCall): Promise<ProviderResponse>;
  /** Does the same for any other request. */
  send(slot: Slot, request: ProviderRequest, signal: AbortSignal): Promise<ProviderResponse>;
  /** Returns the WebSocket URL of a slot. Throws a SlotFailure where it has none. */
  streamUrl(slot: Slot): string;
  /** Returns a text of a slot's provider as clients may see it: without credentials. */
  redact(slot: Slot, text: string): string;
  /**
   * Resolves with the headers of an upgrade to that URL: the API key, the request id and the trace. Rejects
   * as `send` does.
   */
  streamHeaders(
    slot: Slot,
    requestId: string,
    signal: AbortSignal,
  ): Promise<Record<string, string>>;
  /** Returns how that upgrade is connected. Throws as `streamHeaders` does. */
  streamConnection(slot: Slot): UpgradeConnection;
  /** Reads the id that the provider gave a request from the headers of its response to the upgrade. */
  readUpgrade(requestId: string, headers: ProviderRefusal["headers"]): void;
  close(): Promise<void>;
}

/** A JSON body: one buffer or several. */
export type JsonBytes = Uint8Array | readonly Uint8Array[];

export interface PostCall {
  /** Sent to the provider, so that its logs can be compared with ours. */
  requestId: string;
  accept: "application/json" | "text/event-stream" | "audio/*";
  signal: AbortSignal;
}

export interface ProviderRequest {
  method: "GET" | "POST";
  /** The path after the provider's base URL. */
  path: string;
  /** Added to the path's own query. */
  query?: Record<string, string>;
  headers: Record<string, string>;
  body?: SentBody;
  /** The timeout of a provider for which the catalog sets none. */
  defaultTimeoutMs?: number;
}

/**
 * Creates the HTTP client of all providers. Their API keys are read from `env` and from `secrets`, for
 * each request, and sent to them only. `requestIds` reads the ids that they give requests. `onLateRefresh`
 * is called where the credentials of an identity are not renewed before their time. Throws a StartError for a
 * proxy in `env` without a valid address.
 */
export function createProviderClient(
  env: Environment,
  secrets: SecretValues = noSecrets,
  requestIds: ProviderRequestIds = new ProviderRequestIds(),
  onLateRefresh: ReportLateRefresh = () => {},
): ProviderClient {
  const connections = new Connections(env);
  const proxiesOf = (provider: Provider) => connections.proxiesOf(provider);
  const identities = new Identities({ env, proxiesOf, onLateRefresh });
  const targetOf = cacheTargets(env);
  const credentials = (provider: Provider, identity: IdentityValues | undefined): Credentials => ({
    apiKey: apiKeyOf(provider, env, secrets),
    identity,
    region: provider.region,
    env,
  });
  const hidden = (provider: Provider) => [
    ...credentialsOf(provider, env, secrets),
    ...identities.recent(provider),
  ];
  const sendOne: ProviderClient["send"] = async (slot, request, signal) =>
    tracedSend(
      request.method,
      () => baseUrlOf(slot.provider, env),
      (trace) => {
        const traced =
          trace === undefined ? request : { ...request, headers: { ...request.headers, ...trace } };
        const { provider } = slot;
        const target = targetOf(slot, request);
        const sendWith = (identity: IdentityValues | undefined) => {
          const own = credentials(provider, identity);
          const headers = authorizedHeaders(traced, target, provider, own);
          const sent = { ...traced, headers };
          const readHeaders = (received: ProviderRefusal["headers"]) =>
            requestIds.readHeaders(requestIdIn(headers), received);
          const reading = { credentials: () => hidden(provider), readHeaders };
          return send(connections.for(provider), target, provider, sent, signal, reading);
        };
        // A stream has been read, and cannot be sent again.
        const isOnce = request.body instanceof Readable;
        return identities.send(provider, signal, isOnce, sendWith);
      },
    );
  return {
    post: (slot, body, call) => sendOne(slot, postOf(slot, body, call), call.signal),
    send: sendOne,
    streamUrl: (slot) => streamUrlOf(slot, env),
    redact: ({ provider }, text) => redact(text, hidden(provider)),
    async streamHeaders(slot, requestId, signal) {
      const url = streamUrlOf(slot, env);
      const own = credentials(slot.provider, await identities.valuesOf(slot.provider, signal));
      return {
        ...upgradeAuthorization(url, slot.provider, own),
        ...requestIdHeader(requestId),
        ...upgradeHeaders(url),
      };
    },
    readUpgrade: (requestId, headers) => requestIds.readHeaders(requestId, headers),
    streamConnection: (slot) => connections.forUpgrade(slot.provider, streamUrlOf(slot, env)),
    close: () => connections.destroy(),
  };
}

function postOf({ path }: Slot, body: JsonBytes, call: PostCall): ProviderRequest {
  const sent = sendable(body);
  const type = { "content-type": "application/json", accept: call.accept };
  const headers = { ...type, ...requestIdHeader(call.requestId), ...sent.headers };
  return { method: "POST", path, headers, body: sent.body };
}

/** Where a request is sent. */
interface Target {
  origin: string;
  path: string;
}

/** Computes the target of a slot's own path once: nearly all requests are sent there. */
function cacheTargets(env: Environment) {
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
  return placeOf(`${baseUrlOf(provider, env)}${path}`);
}

function placeOf(url: string): Target {
  if (!URL.canParse(url)) throw noAddress("the provider has no valid URL");
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}` };
}

/** What reading a response needs. */
interface Reading {
  credentials(): readonly string[];
  readHeaders(headers: ProviderRefusal["headers"]): void;
}

async function send(
  dispatcher: Dispatcher,
  { origin, path }: Target,
  provider: Provider,
  { method, headers, body, defaultTimeoutMs }: ProviderRequest,
  signal: AbortSignal,
  { credentials, readHeaders }: Reading,
): Promise<ProviderResponse> {
  const { firstByteMs, totalMs } = provider;
  const call = new ProviderCall(signal, body, {
    firstByteMs: isInChunks(headers) ? firstByteMs : undefined,
    totalMs,
  });
  const isDefault = provider.isDefaultTimeout && defaultTimeoutMs !== undefined;
  const timeoutMs = isDefault ? defaultTimeoutMs : provider.timeoutMs;
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  // undici takes anything that can be iterated, which its types do not say.
  const iterable = (body ?? null) as Uint8Array | Readable | null;
  if (!signal.aborted) {
    dispatcher.dispatch({ origin, path, method, headers, body: iterable, ...limits }, call);
  }
  try {
    const head = await call.head;
    const { status, contentType } = head;
    readHeaders(head.headers);
    if (status >= 200 && status < 300) {
      return { status, contentType, body: decodeBody(call, head.contentEncoding) };
    }
    throw await readRefusal(head, decodedOrAsIs(call, head), provider.kind, credentials);
  } catch (error) {
    throw transportFailure(error, signal, call.wasSent);
  }
}

/** Returns whether a response begins before it is complete, as a stream of events or audio does. */
function isInChunks({ accept }: Record<string, string>): boolean {
  return accept !== undefined && accept !== "application/json";
}

/** Returns the body of a refusal. Its status is enough where the body is in a coding that is not known. */
function decodedOrAsIs(call: ProviderCall, { contentEncoding }: ProviderResponseHead) {
  try {
    return decodeBody(call, contentEncoding);
  } catch {
    return call;
  }
}

/** Returns the headers of a request, with those that authorize it. */
function authorizedHeaders(
  { method, headers, body }: ProviderRequest,
  { origin, path }: Target,
  { kind }: Provider,
  credentials: Credentials,
): Record<string, string> {
  const sent = { method, origin, path, headers, body: body instanceof Readable ? undefined : body };
  const authorization = kind.authorize(sent, credentials);
  return { "accept-encoding": acceptEncoding, ...headers, ...authorization };
}

/** Returns the headers that authorize the upgrade to a WebSocket. */
function upgradeAuthorization(
  url: string,
  { kind }: Provider,
  credentials: Credentials,
): Record<string, string> {
  const sent = { method: "GET", ...placeOf(url), headers: {}, body: undefined };
  return kind.authorize(sent, credentials);
}

/** Returns a body whose large buffers are written to the socket one by one, without a copy. */
function sendable(body: JsonBytes): Pick<ProviderRequest, "headers"> & { body: JsonBytes } {
  if (body instanceof Uint8Array) return { headers: {}, body };
  const joined = joinSmallBuffers(body);
  if (joined.length === 1) return { headers: {}, body: joined[0] as Uint8Array };
  const bytes = joined.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return { headers: { "content-length": String(bytes) }, body: joined };
}

function withQuery(path: string, query: Record<string, string> = {}): string {
  const added = new URLSearchParams(query).toString();
  if (added === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}${added}`;
}

function baseUrlOf(provider: Provider, env: Environment): string {
  if (provider.baseUrl !== undefined) return provider.baseUrl;
  const url = provider.baseUrlEnv === undefined ? undefined : env[provider.baseUrlEnv];
  if (url === undefined) throw noAddress("the provider has no base URL");
  return url.replace(/\/+$/, "");
}

function streamUrlOf({ provider, stream }: Slot, env: Environment): string {
  if (stream === undefined) {
    // A request for live audio can be made at will, so this does not count.
    throw new SlotFailure("unreachable", "the slot has no stream", { meaning: "bad_request" });
  }
  if ("url" in stream) return stream.url;
  return `${baseUrlOf(provider, env).replace(/^http/, "ws")}${stream.path}`;
}

function noAddress(message: string): SlotFailure {
  return new SlotFailure("unreachable", message, { meaning: "unreachable" });
}
