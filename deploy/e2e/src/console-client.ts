import { type Client, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";

/** A browser's view of the console: it keeps the cookies that responses set. */
export interface ConsoleClient {
  console: Client<typeof ConsoleService>;
  operator: Client<typeof OperatorService>;
  /** The cookies as a browser sends them, by name. */
  cookies: Map<string, string>;
  /** The attributes with which each was set. */
  attributes: Map<string, string>;
}

/** Creates a client of the console at `url`, whose requests have these headers on top of its cookies. */
export function connectConsole(
  url: string,
  headers: Record<string, string> = { origin: url },
): ConsoleClient {
  const cookies = new Map<string, string>();
  const attributes = new Map<string, string>();
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: "1.1",
    interceptors: [
      (next) => async (request) => {
        for (const [name, value] of Object.entries(headers)) request.header.set(name, value);
        const pairs = [...cookies].map((pair) => pair.join("="));
        if (pairs.length > 0) request.header.set("cookie", pairs.join("; "));
        const response = await next(request);
        for (const line of response.header.getSetCookie()) store(line);
        return response;
      },
    ],
  });

  function store(line: string): void {
    const [, name = "", value = "", rest = ""] = /^([^=]+)=([^;]*); (.*)$/.exec(line) ?? [];
    attributes.set(name, rest);
    if (value === "") cookies.delete(name);
    else cookies.set(name, value);
  }

  return {
    console: createClient(ConsoleService, transport),
    operator: createClient(OperatorService, transport),
    cookies,
    attributes,
  };
}

/** Resolves with the code of the ConnectError that a call rejects with; undefined if it succeeds. */
export async function codeOf(call: Promise<unknown>): Promise<number | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return ConnectError.from(error).code;
  }
}
