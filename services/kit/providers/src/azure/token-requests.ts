import { AsyncLocalStorage } from "node:async_hooks";
import type { INetworkModule, NetworkRequestOptions } from "@azure/msal-node";
import { type JsonObject, jsonObjectOf } from "@tollgate/core/json";
import type { ProxySettings } from "@tollgate/core/proxy-settings";
import { requestToken } from "../token-request.ts";

const requestMs = 5_000;

type NetworkResponse<T> = { headers: Record<string, string>; body: T; status: number };

/** Those of the call that is running: the package keeps those of its first managed identity for all later ones. */
const ofCall = new AsyncLocalStorage<TokenRequests>();

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

  /** Calls a function of the package, whose refusals are those of these requests. */
  during<T>(work: () => Promise<T>): Promise<T> {
    return ofCall.run(this, work);
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
    const proxies = this.#proxies;
    const response = await requestToken(url, { method, headers, body, proxies, requestMs });
    // What is no JSON object has no token.
    const parsed = jsonObjectOf(response.text) ?? {};
    (ofCall.getStore() ?? this).#note(response.status, parsed);
    const { status, headers: responseHeaders } = response;
    return { headers: responseHeaders as Record<string, string>, body: parsed as T, status };
  }

  /** Entra ID and virtual machines describe an error, and App Service has a message. */
  #note(status: number, { error, error_description: description, message }: JsonObject): void {
    if (status < 400) return;
    const said = [error, description, message];
    const words = said.filter((word) => typeof word === "string").join(": ");
    this.#refusal = { status, words };
  }
}
