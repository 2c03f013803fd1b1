import {
  IdentityFailure,
  type IdentitySource,
  type IdentityValues,
} from "@tollgate/catalog/identity";
import type { Provider } from "@tollgate/catalog/model";
import type { Environment } from "@tollgate/core/config";
import type { ProxySettings } from "@tollgate/core/proxy-settings";
import { SlotFailure } from "../failure.ts";
import { abortedUnsent } from "../unsent.ts";
import { describeIdentity, usesIdentity } from "./provider-identity.ts";
import { RotatingGrant } from "./rotating-grant.ts";

/** More identities than a catalog and its drafts have at a time. The oldest is read again when needed. */
const maxIdentities = 256;

type SendWith<Response> = (values: IdentityValues | undefined) => Promise<Response>;

/** Reports a refresh that failed while the values in use are still valid. */
export type ReportLateRefresh = (provider: string, identity: string, reason: string) => void;

export interface IdentityParts {
  env: Environment;
  proxiesOf(provider: Provider): ProxySettings;
  onLateRefresh: ReportLateRefresh;
  nowMs?: () => number;
}

/** The identities of the cloud by which providers are called. What they need is loaded on first use. */
export class Identities {
  readonly #parts: IdentityParts;
  readonly #grants = new Map<string, RotatingGrant>();
  /** That of each provider, so that a request does not look it up; undefined for one with a key. */
  readonly #known = new WeakMap<Provider, RotatingGrant | undefined>();

  constructor(parts: IdentityParts) {
    this.#parts = parts;
  }

  /**
   * Resolves with the values of a provider's identity; with undefined for a provider with a key. Rejects with
   * a SlotFailure where there are none: that of a refused key where the cloud refuses the identity, else that
   * of a provider that cannot be reached. Rejects with an UnsentCall when the signal aborts.
   */
  async valuesOf(provider: Provider, signal: AbortSignal): Promise<IdentityValues | undefined> {
    const grant = this.#grantOf(provider);
    return grant === undefined ? undefined : readValues(grant, signal);
  }

  /**
   * Sends a request with the values of the provider's identity, or without any for a provider with a key. Where
   * the provider refuses them, new ones are read, and the request is sent again unless it can be sent only once.
   * Rejects as `valuesOf` and `sendWith` do.
   */
  send<Response>(
    provider: Provider,
    signal: AbortSignal,
    isOnce: boolean,
    sendWith: SendWith<Response>,
  ): Promise<Response> {
    const grant = this.#grantOf(provider);
    if (grant === undefined) return sendWith(undefined);
    return sendByGrant(grant, signal, isOnce, sendWith);
  }

  /** Returns the values that a provider's text may have. */
  recent(provider: Provider): readonly string[] {
    return this.#grantOf(provider)?.recent() ?? [];
  }

  #grantOf(provider: Provider): RotatingGrant | undefined {
    const source = provider.kind.identity;
    if (source === undefined) return undefined;
    if (this.#known.has(provider)) return this.#known.get(provider);
    const grant = usesIdentity(provider, this.#parts.env)
      ? this.#shared(provider, source)
      : undefined;
    this.#known.set(provider, grant);
    return grant;
  }

  /** Returns what entries of the catalog with the same identity share. */
  #shared(provider: Provider, source: IdentitySource): RotatingGrant {
    const { kind, identity, region, proxy, proxyEnv } = provider;
    const id = JSON.stringify([kind.name, identity, region, proxy, proxyEnv]);
    const known = this.#grants.get(id);
    if (known !== undefined) return known;
    const grant = this.#open(provider, source);
    this.#grants.set(id, grant);
    if (this.#grants.size > maxIdentities) {
      this.#grants.delete(this.#grants.keys().next().value as string);
    }
    return grant;
  }

  #open(provider: Provider, source: IdentitySource): RotatingGrant {
    const { env, proxiesOf, onLateRefresh, nowMs = Date.now } = this.#parts;
    const { name, identity = {}, region } = provider;
    return new RotatingGrant({
      async read() {
        const readGrant = await source.load();
        return readGrant({ settings: identity, region, env, proxies: proxiesOf(provider) });
      },
      onLateRefresh: ({ message }) => onLateRefresh(name, describeIdentity(identity), message),
      nowMs,
    });
  }
}

async function readValues(grant: RotatingGrant, signal: AbortSignal): Promise<IdentityValues> {
  try {
    const values = grant.current();
    return values instanceof Promise ? await untilAborted(values, signal) : values;
  } catch (error) {
    throw error instanceof IdentityFailure ? slotFailureOf(error) : error;
  }
}

async function sendByGrant<Response>(
  grant: RotatingGrant,
  signal: AbortSignal,
  isOnce: boolean,
  sendWith: SendWith<Response>,
): Promise<Response> {
  const values = await readValues(grant, signal);
  try {
    return await sendWith(values);
  } catch (error) {
    if (!(error instanceof SlotFailure) || error.meaning !== "key_or_bill") throw error;
    const others = await untilAborted(grant.replace(values), signal);
    if (others === undefined || isOnce) throw error;
    return sendWith(others);
  }
}

function slotFailureOf({ isRefused, message }: IdentityFailure): SlotFailure {
  return new SlotFailure("unreachable", "the provider's identity has no credentials", {
    meaning: isRefused ? "key_or_bill" : "unreachable",
    said: message,
    providerMessage: message,
  });
}

/** Resolves or rejects as `work` does, which goes on for other calls. Rejects when the signal aborts. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(abortedUnsent(signal.reason));
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
