import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type ProxySettings, proxyEnvironment } from "@tollgate/core/proxy-settings";

const maxBytes = 64 * 1024;

interface TokenRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Those through which an address with TLS is reached. */
  proxies?: ProxySettings;
  /** How long the request may take in all. */
  requestMs: number;
}

interface TokenResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * Sends a request to a token server, by a connection of its own. Rejects where there is no whole response in time,
 * and where it is longer than 64 KiB.
 */
export async function requestToken(
  url: string | URL,
  { method = "GET", headers = {}, body = "", proxies, requestMs }: TokenRequest,
): Promise<TokenResponse> {
  const isSecure = String(url).startsWith("https:");
  const proxied = isSecure && proxies !== undefined;
  const agent = proxied && new HttpsAgent({ proxyEnv: proxyEnvironment(proxies) });
  const send = isSecure ? httpsRequest : httpRequest;
  const signal = AbortSignal.timeout(requestMs);
  const request = send(url, { method, headers, agent, signal });
  // An error after the response is one of its body, too.
  request.on("error", () => {});
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const { statusCode: status = 0, headers: responseHeaders } = response;
  return { status, headers: responseHeaders, text: await textOf(response) };
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
