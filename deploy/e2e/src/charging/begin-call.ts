import { type ClientRequest, request } from "node:http";
import type { RecordedCall } from "@tollgate/simulator/call-log";
import { expect } from "vitest";
import type { Behavior } from "../catalog/charging.ts";
import type { Stack, TestAccount } from "../stack.ts";
import { aliasOf, type BilledCall } from "./billed-calls.ts";
import { soon } from "./soon.ts";

/** A call that a client has begun. */
export interface BegunCall {
  account: TestAccount;
  /** What the provider has recorded of it. */
  recorded: RecordedCall;
  status(): number | undefined;
  receivedBytes(): number;
  /** Closes the client's connection. */
  leave(): void;
  /** Resolves when the response is complete, or the connection is closed. */
  ended: Promise<void>;
}

/** A call over HTTP. */
export interface BegunRequest extends BegunCall {
  /** Ends the client's side of its connection only. */
  halfClose(): void;
}

/** Sends a call, and resolves once the provider has received it. */
export async function beginCall(
  stack: Stack,
  account: TestAccount,
  call: BilledCall,
  behavior: Behavior,
): Promise<BegunRequest> {
  const { bytes, contentType } = await call.write(aliasOf(call, behavior));
  const since = stack.simulator.calls.list().at(-1)?.seq ?? 0;
  const sent = request(`${stack.url}${call.path}`, {
    method: "POST",
    agent: false,
    headers: {
      ...call.headers,
      authorization: `Bearer ${account.key}`,
      "content-type": contentType,
      "content-length": bytes.byteLength,
    },
  });
  const response = followResponse(sent);
  sent.end(bytes);
  const recorded = await soon(() => {
    const calls = stack.simulator.calls.list({ since });
    const found = calls.find(({ route }) => route === call.providerPath);
    expect(found, `${call.path}, ${behavior}`).toBeDefined();
    return found as RecordedCall;
  });
  const leave = () => void sent.destroy();
  const halfClose = () => void sent.socket?.end();
  return { account, recorded, leave, halfClose, ...response };
}

function followResponse(sent: ClientRequest) {
  let status: number | undefined;
  let receivedBytes = 0;
  const ended = Promise.withResolvers<void>();
  sent.on("error", () => ended.resolve());
  sent.once("close", () => ended.resolve());
  sent.once("response", (response) => {
    status = response.statusCode;
    response.on("error", () => {});
    response.on("data", (chunk: Buffer) => {
      receivedBytes += chunk.byteLength;
    });
  });
  return {
    status: () => status,
    receivedBytes: () => receivedBytes,
    ended: ended.promise,
  };
}
