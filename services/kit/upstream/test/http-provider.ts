import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { expect, onTestFinished } from "vitest";
import { createProviderClient } from "../src/provider-client.ts";

export const accept = "application/json";
export const neverAborts = new AbortController().signal;
export const waitOptions = { timeout: 10_000 };

/** A kind that takes its key as a bearer token, and has messages in its refusals. */
const kind = {
  authorize: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
  reportedStatus: () => undefined,
  refusalMessage: (body) => (body as { message: string } | undefined)?.message,
  readRefusal: ({ body }) => ({ isTooLong: JSON.stringify(body)?.includes("too long") ?? false }),
} as Partial<ProviderKind> as ProviderKind;

/** Starts an HTTP server that responds by `respond`, and a client with a slot of that provider. */
export async function startHttpProvider(
  respond: (req: IncomingMessage, res: ServerResponse) => void,
) {
  const server = createServer(respond).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const providers = createProviderClient({ KEY: "secret" });
  onTestFinished(async () => {
    await providers.close();
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const provider = { name: "near", kind, baseUrl, apiKeyEnv: "KEY", timeoutMs: 60_000 };
  const slot = { id: "near/model", provider, path: "/chat" } as Slot;
  return { providers, slot };
}

/** Returns the error that `work` throws. Fails the test when it does not throw. */
export function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  );
}
