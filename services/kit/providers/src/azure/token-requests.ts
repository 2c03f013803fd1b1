import { once } from "node:events";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { INetworkModule, NetworkRequestOptions } from "@azure/msal-node";
import { type JsonObject, jsonObjectOf } from "@tollgate/core/json";
import { type ProxySettings, proxyEnvironment } from "@tollgate/core/proxy-settings";

const requestMs = 5_000;
const maxBytes = 64 * 1024;

type NetworkResponse<T> = { headers: Record<string, string>; body: T; status: number };

/**
 * The requests of Microsoft's package to token servers: those of the internet through the provider's proxy,
 * and those of the machine or its cloud, which speak plain HTTP, without one.
 */
export class TokenRequests implements INetworkModule {
  readonly #proxies: ProxySettings;
  #refusal: { status: number; words: string } | undefined;

  constructor(proxies: ProxySettings) {
    this.#proxies = proxies;
  }

  /** The last response that was no success; undefined for none. */
  get refusal(): Readonly<{ status: number; words: string }> | undefined {
    return this.#refusal;
  }

  sendGetRequestAsync<T>(url: string, options?: NetworkRequestOptions) {
    return this.#send<T>("GET", url, options);
  }

  sendPostRequestAsync<T>(url: string, options?: NetworkRequestOptions) {
    return this.#send<T>("POST", url, options);
  }

  async #send<T>(
    method: string,
    url: string,
    { headers = {}, body = "" }: NetworkRequestOptions = {},
  ): Promise<NetworkResponse<T>> {
    const isSecure = url.startsWith("https:");
    const agent = isSecure
      ? new HttpsAgent({ proxyEnv: proxyEnvironment(this.#proxies) })
      : new HttpAgent();
    const send = isSecure ? httpsRequest : httpRequest;
    const signal = AbortSignal.timeout(requestMs);
    const request = send(url, { method, headers, agent, signal });
    // An error after the response is one of its body, too.
    request.on("error", () => {});
    request.end(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const status = response.statusCode ?? 0;
    // What is no JSON object has no token.
    const parsed = jsonObjectOf(await textOf(response)) ?? {};
    this.#note(status, parsed);
    return { headers: response.headers as Record<string, string>, body: parsed as T, status };
  }

  #note(status: number, { error, error_description: description }: JsonObject): void {
    if (status < 400) return;
    const words = [error, description].filter((word) => typeof word === "string").join(": ");
    this.#refusal = { status, words };
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error("the response of a token server is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
