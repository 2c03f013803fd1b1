import { request } from "node:http";
import type { RecordedCall } from "@tollgate/simulator/call-log";
import { expect } from "vitest";
import { bytesPerSecond, pcm, wav } from "../audio-files.ts";
import type { AudioBehavior } from "../catalog/charging.ts";
import { liveClient } from "../live-client.ts";
import type { Stack, TestAccount } from "../stack.ts";
import { audioForm } from "../transcription-client.ts";
import type { BegunCall } from "./begin-call.ts";
import type { Cell } from "./matrix.ts";
import { soon } from "./soon.ts";

/** A stream of audio that a client has begun. */
export interface BegunAudio extends BegunCall {
  /** Returns the events received so far, as text. */
  received(): string;
  /** Sends the flush of a live client. A file is flushed by the gateway. */
  flush(): void;
}

/** What a client streams. */
interface StreamedAudio {
  behavior: AudioBehavior;
  seconds: number;
}

/**
 * Streams audio in the form of a cell, to the end of a file or without a flush. Resolves once the
 * provider has received all of it, or the response has ended.
 */
export async function beginAudio(
  stack: Stack,
  account: TestAccount,
  { call, form }: Cell,
  { behavior, seconds }: StreamedAudio,
): Promise<BegunAudio> {
  const since = stack.simulator.calls.list().at(-1)?.seq ?? 0;
  const begin = form === "live" ? beginLive : beginFile;
  const begun = await begin(stack, account, `charge-hear-${behavior}`, seconds);
  let hasEnded = false;
  void begun.ended.then(() => {
    hasEnded = true;
  });
  const recorded = await soon(() => {
    const calls = stack.simulator.calls.list({ since });
    const found = calls.find(({ requestId }) => requestId === begun.requestId());
    expect(found, call.path).toBeDefined();
    if (!hasEnded) expect(found?.upload?.bytes).toBe(seconds * bytesPerSecond);
    return found as RecordedCall;
  });
  const receivedBytes = () => begun.received().length;
  return { account, recorded, status: () => undefined, receivedBytes, ...begun };
}

interface BegunClient extends Pick<BegunAudio, "leave" | "ended" | "received" | "flush"> {
  /** Undefined until the response begins. */
  requestId(): string | undefined;
}

async function beginLive(stack: Stack, account: TestAccount, model: string, seconds: number) {
  const { socket, requestId, frames, closed } = await liveClient(stack, account).start({ model });
  socket.send(pcm(seconds));
  return {
    requestId: () => requestId,
    leave: () => socket.terminate(),
    ended: closed.then(() => {}),
    received: () => JSON.stringify(frames),
    flush: () => socket.send(JSON.stringify({ action: "flush" })),
  } satisfies BegunClient;
}

async function beginFile(
  { url }: Stack,
  { key }: TestAccount,
  model: string,
  seconds: number,
): Promise<BegunClient> {
  const form = new Response(audioForm(wav(seconds), { model, stream: "true" }));
  const body = Buffer.from(await form.arrayBuffer());
  const sent = request(`${url}/v1/audio/transcriptions`, {
    method: "POST",
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": form.headers.get("content-type") ?? "",
      "content-length": body.byteLength,
    },
  });
  let requestId: string | undefined;
  let text = "";
  const ended = Promise.withResolvers<void>();
  sent.on("error", () => ended.resolve());
  sent.once("close", () => ended.resolve());
  sent.once("response", (response) => {
    requestId = response.headers["x-request-id"]?.toString();
    response.on("error", () => {});
    response.on("data", (chunk: Buffer) => {
      text += chunk;
    });
  });
  sent.end(body);
  const leave = () => void sent.destroy();
  return {
    requestId: () => requestId,
    leave,
    ended: ended.promise,
    received: () => text,
    flush() {},
  };
}
