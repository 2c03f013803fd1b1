import { type LookupAddress, lookup } from "node:dns";
import { type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { invalidParam } from "@tollgate/core/errors";
import { isPublicAddress, isPublicUrl } from "@tollgate/core/public-host";

/** A receiver has this long to take a webhook. */
const timeoutMs = 10_000;
const maxUrlLength = 2_000;

/** Why a receiver did not take a webhook: an HTTP status, or the code of an error. */
export class WebhookError extends Error {
  readonly code: string;

  constructor(code: string, options?: ErrorOptions) {
    super(`the webhook was not taken: ${code}`, options);
    this.code = code;
  }
}

/**
 * Throws `invalid_param` for an address to which no webhook is sent: anything but HTTPS at a public host, or
 * also HTTP and private hosts where these are allowed.
 */
export function checkWebhookUrl(url: string, allowsPrivate: boolean): void {
  const { protocol = "" } = URL.canParse(url) ? new URL(url) : {};
  const isAllowed = allowsPrivate
    ? protocol === "https:" || protocol === "http:"
    : protocol === "https:" && isPublicUrl(url);
  if (isAllowed && url.length <= maxUrlLength) return;
  throw invalidParam("target", "must be an https: URL of a public host");
}

/**
 * Posts a webhook as JSON. The host must resolve to a public address, and that address is the one connected
 * to. Redirects are not followed, and nothing of the response is read but its status. Throws a WebhookError
 * for a status other than 2xx, or where there is no response within ten seconds.
 */
export async function postWebhook(
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
  { allowsPrivate }: { allowsPrivate: boolean },
): Promise<void> {
  checkWebhookUrl(url, allowsPrivate);
  const request = new URL(url).protocol === "https:" ? requestHttps : requestHttp;
  const length = String(Buffer.byteLength(body));
  const options: RequestOptions = {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", "content-length": length },
    // A connection is not kept: the next one may resolve to another address.
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
    ...(allowsPrivate ? {} : { lookup: lookUpPublic }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const { statusCode = 0 } = response;
      response.destroy();
      if (statusCode >= 200 && statusCode < 300) resolve();
      else reject(new WebhookError(String(statusCode)));
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const code =
        error.name === "AbortError" || error.name === "TimeoutError" ? "timeout" : error.code;
      reject(new WebhookError(code ?? error.name, { cause: error }));
    });
    sent.end(body);
  });
}

/** Resolves a name to its public addresses. Fails with `not_public` where it has none. */
export const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const isOne = options.all !== true;
    if (error !== null) return callback(error, isOne ? "" : []);
    const addresses = found.filter(({ address }) => isPublicAddress(address));
    const [first] = addresses;
    if (first === undefined) return callback(notPublic(hostname, found), isOne ? "" : []);
    if (isOne) callback(null, first.address, first.family);
    else callback(null, addresses);
  });
};

function notPublic(hostname: string, found: readonly LookupAddress[]): NodeJS.ErrnoException {
  const error = new Error(`${hostname} has no public address of ${found.length}`);
  return Object.assign(error, { code: "not_public" });
}
