import type { Environment } from "./config.ts";
import { StartError } from "./errors.ts";

/** The proxies of the environment: addresses, and the hosts that are reached without one. */
export interface ProxySettings {
  http: string | undefined;
  https: string | undefined;
  /** Names, addresses and suffixes, each with an optional port, separated by commas. */
  none: string;
}

/** A proxy cannot reach the machine of its client by these. */
const ownMachine = ["localhost", "127.0.0.1", "[::1]", "::1"];

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in lower case first, as curl does. Addresses of the
 * machine itself need no proxy. Throws a StartError for a proxy that is not an http or https URL.
 */
export function readProxySettings(env: Environment): ProxySettings {
  const read = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  const http = checkProxy("HTTP_PROXY", read("HTTP_PROXY"));
  const https = checkProxy("HTTPS_PROXY", read("HTTPS_PROXY"));
  return { http, https, none: [read("NO_PROXY") ?? "", ...ownMachine].filter(Boolean).join(",") };
}

/** Returns the settings as the option `proxyEnv` of an agent of Node has them. */
export function proxyEnvironment({ http, https, none }: ProxySettings): Record<string, string> {
  return {
    ...(http && { HTTP_PROXY: http }),
    ...(https && { HTTPS_PROXY: https }),
    NO_PROXY: none,
  };
}

/** Returns the URL of a proxy. Throws a StartError that does not repeat it: it may have a password. */
export function checkProxy(name: string, url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new StartError(`${name}: must be an http or https URL`);
}
