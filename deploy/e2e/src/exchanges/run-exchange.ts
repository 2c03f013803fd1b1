import { requestIdOf, send } from "../request.ts";
import type { Stack, TestAccount } from "../stack.ts";
import { aliasOfCase, type ExchangeCase } from "./exchange-cases.ts";
import type { ExchangeWire } from "./exchange-wire.ts";
import { readCompletion, readCompletionStream } from "./wires/chat.ts";
import { readMessage, readMessageStream } from "./wires/messages.ts";
import { readResponse, readResponseStream } from "./wires/responses.ts";
import type { ReadResult } from "./wires/result.ts";

/** What a client got. */
export interface ExchangeRun {
  readonly requestId: string | null;
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

interface WireReader {
  readonly path: string;
  read(text: string): ReadResult;
  readStream(text: string): ReadResult;
}

const readers: Readonly<Record<ExchangeWire, WireReader>> = {
  chat: {
    path: "/v1/chat/completions",
    read: readCompletion,
    readStream: readCompletionStream,
  },
  messages: { path: "/v1/messages", read: readMessage, readStream: readMessageStream },
  responses: { path: "/v1/responses", read: readResponse, readStream: readResponseStream },
};

/** Sends the request of a case. */
export async function runExchange(
  stack: Stack,
  { key }: TestAccount,
  one: ExchangeCase,
): Promise<ExchangeRun> {
  const { wire, request, exchange } = one;
  const stream = exchange.stream ? { stream: true } : {};
  const body = { ...request[wire], model: aliasOfCase(one), ...stream };
  const response = await send(`${stack.url}${readers[wire].path}`, { key, body });
  const { status, text, headers } = response;
  const retryAfter = headers.get("retry-after") ?? undefined;
  return { requestId: requestIdOf(response), status, retryAfter, text };
}

/** Reads what the client got. */
export function readRun({ wire }: ExchangeCase, { text }: ExchangeRun): ReadResult {
  const reader = readers[wire];
  return text.startsWith("{") ? reader.read(text) : reader.readStream(text);
}
