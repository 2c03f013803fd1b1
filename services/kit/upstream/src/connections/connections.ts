import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Provider, TlsFiles } from "@tollgate/catalog/model";
import type { Environment } from "@tollgate/core/config";
import {
  checkProxy,
  type ProxySettings,
  proxyEnvironment,
  readProxySettings,
} from "@tollgate/core/proxy-settings";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { SlotFailure } from "../failure.ts";
import { readTlsFiles, sameTls, type TlsTexts } from "./tls-files.ts";

/** The most connections to one provider. Further calls wait for a free one. */
const maxConnections = 2_048;
/** How long a connection may take to open, where the catalog does not say. */
const connectTimeoutMs = 5_000;
/**
 * Idle connections are closed before the provider closes them, else a call may be sent on a
 * connection that the provider is closing. Common Python servers close idle connections after 5 s.
 */
const keepAliveMs = 4_000;
/** How often the files of certificates are read again. */
const reloadMs = 60_000;

/** How the upgrade to a WebSocket is connected: options of Node's `https.request`. */
export interface UpgradeConnection extends TlsTexts {
  agent?: HttpAgent;
}

/** What decides how a connection to a provider is opened. */
type Way = Pick<Provider, "connectMs" | "proxy" | "proxyEnv" | "tls">;

/** Connections that are opened in the same way. */
interface Opened {
  dispatcher: Dispatcher;
  tls: TlsTexts;
  readAtMs: number;
}

/** The connections to providers: through which proxy, with which certificates, and how fast they open. */
export class Connections {
  readonly #env: Environment;
  readonly #proxies: ProxySettings;
  readonly #default: Dispatcher;
  readonly #others = new Map<string, Opened>();
  readonly #closing = new Set<Promise<void>>();
  readonly #nowMs: () => number;

  /** Throws a StartError for a proxy in `env` that has no valid address. */
  constructor(env: Environment, nowMs: () => number = () => performance.now()) {
    this.#env = env;
    this.#nowMs = nowMs;
    this.#proxies = readProxySettings(env);
    this.#default = openDispatcher(this.#proxies, connectTimeoutMs, {});
  }

  /** Returns the connections of a provider. Throws a SlotFailure where its certificates cannot be read. */
  for(provider: Way): Dispatcher {
    const { connectMs, proxy, proxyEnv, tls } = provider;
    if ((connectMs ?? proxy ?? proxyEnv ?? tls) === undefined) return this.#default;
    return this.#opened(provider).dispatcher;
  }

  /** Returns how the upgrade to a WebSocket at `url` is connected. Throws as `for` does. */
  forUpgrade(provider: Way, url: string): UpgradeConnection {
    const proxies = this.proxiesOf(provider);
    const tls = provider.tls === undefined ? {} : this.#opened(provider).tls;
    if (proxies.https === undefined && proxies.http === undefined) return tls;
    const Agent = url.startsWith("wss:") ? HttpsAgent : HttpAgent;
    return { ...tls, agent: new Agent({ proxyEnv: proxyEnvironment(proxies) }) };
  }

  async destroy(): Promise<void> {
    const opened = [...this.#others.values()].map(({ dispatcher }) => dispatcher);
    await Promise.all([
      ...this.#closing,
      ...[this.#default, ...opened].map((one) => one.destroy()),
    ]);
  }

  #opened(provider: Way): Opened {
    const { connectMs = connectTimeoutMs, proxy, proxyEnv, tls: files } = provider;
    const id = JSON.stringify([connectMs, proxy, proxyEnv, files]);
    const known = this.#others.get(id);
    const nowMs = this.#nowMs();
    if (known !== undefined && (files === undefined || nowMs - known.readAtMs < reloadMs))
      return known;
    const tls = files === undefined ? {} : readAgain(files, known?.tls);
    if (known !== undefined && sameTls(known.tls, tls)) {
      known.readAtMs = nowMs;
      return known;
    }
    const dispatcher = openDispatcher(this.proxiesOf(provider), connectMs, tls);
    const opened = { dispatcher, tls, readAtMs: nowMs };
    this.#others.set(id, opened);
    if (known !== undefined) this.#closeLater(known.dispatcher);
    return opened;
  }

  /** Closes connections once their calls have ended. */
  #closeLater(dispatcher: Dispatcher): void {
    const closing = dispatcher.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Returns the proxies of a provider: its own one also for hosts that need none otherwise. */
  proxiesOf({ proxy, proxyEnv }: Way): ProxySettings {
    if (proxy === "none") return { http: undefined, https: undefined, none: "" };
    const own = proxy ?? (proxyEnv && checkProxy(proxyEnv, this.#env[proxyEnv]));
    return own ? { http: own, https: own, none: "" } : this.#proxies;
  }
}

/** Reads PEM files. Returns the `known` texts where a file cannot be read: it may be about to be replaced. */
function readAgain(files: TlsFiles, known: TlsTexts | undefined): TlsTexts {
  try {
    return readTlsFiles(files);
  } catch (error) {
    if (known !== undefined) return known;
    throw new SlotFailure("unreachable", "the provider's certificates cannot be read", {
      meaning: "key_or_bill",
      said: (error as Error).message,
    });
  }
}

function openDispatcher(
  { http, https, none }: ProxySettings,
  timeout: number,
  tls: TlsTexts,
): Dispatcher {
  const options = {
    connections: maxConnections,
    connect: { timeout, ...tls },
    keepAliveTimeout: keepAliveMs,
  };
  if (http === undefined && https === undefined) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    // Empty, and not absent: otherwise undici reads the environment of the process.
    httpProxy: http ?? "",
    httpsProxy: https ?? "",
    noProxy: none,
    connectTimeout: timeout,
    requestTls: { timeout, ...tls },
  });
}
