import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Returns a chat request with one user message. `fields` override its fields. */
export function simulatorChatBody(fields: Record<string, unknown> = {}, simulate?: string) {
  return {
    model: "sim-small",
    messages: [{ role: "user", content: "hello there" }],
    ...(simulate !== undefined && { metadata: { simulate } }),
    ...fields,
  };
}

export function postToSimulator(
  url: string,
  body: unknown,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
}

export interface RawResponse {
  /** The received bytes, one item per socket read. */
  readonly reads: readonly Buffer[];
  /** The complete response as text, with its headers and chunk framing. */
  readonly text: string;
  /** The body as text, without chunk framing. */
  readonly body: string;
}

/** Sends a chat request over a plain socket and reads until the server closes it. */
export async function rawChat(url: string, body: unknown): Promise<RawResponse> {
  const socket = openChat(url, body);
  const reads: Buffer[] = [];
  socket.on("data", (read: Buffer) => reads.push(read));
  socket.on("error", () => undefined);
  await once(socket, "close");
  const bytes = Buffer.concat(reads);
  return { reads, text: bytes.toString(), body: bodyOf(bytes).toString() };
}

function bodyOf(response: Buffer): Buffer {
  const headEnd = response.indexOf("\r\n\r\n");
  const body = response.subarray(headEnd + 4);
  if (!/transfer-encoding: chunked/i.test(response.toString("latin1", 0, headEnd))) return body;
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const sizeEnd = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.toString("latin1", at, sizeEnd), 16);
    chunks.push(body.subarray(sizeEnd + 2, sizeEnd + 2 + size));
    at = sizeEnd + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}

/** Sends a chat request over a plain socket and returns the socket. */
export function openChat(url: string, body: unknown): Socket {
  const { port, hostname } = new URL(url);
  const json = JSON.stringify(body);
  const socket = connect(Number(port), hostname);
  const head = [
    "POST /v1/chat/completions HTTP/1.1",
    "host: simulator",
    "connection: close",
    `content-length: ${Buffer.byteLength(json)}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${json}`);
  return socket;
}

export interface CompletionJson {
  model: string;
  object: string;
  choices: { message: MessageJson; finish_reason: string }[];
  usage: UsageJson;
  cost?: number;
}

interface MessageJson {
  content: string;
  tool_calls?: { function: { name: string; arguments: string } }[];
}

export interface ErrorJson {
  error: { message: string; type: string; param: string | null; code: string | null };
}

/** Parses a JSON response as the type that the test expects. */
export async function jsonOf<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

export interface ChunkJson {
  id: string;
  object: string;
  model: string;
  choices: {
    index: number;
    delta: { role?: string; content?: string | null; tool_calls?: ToolDelta[] };
    finish_reason: string | null;
  }[];
  usage?: UsageJson | null;
  cost?: number;
}

interface ToolDelta {
  index: number;
  id?: string;
  function: { name?: string; arguments: string };
}

export interface UsageJson {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  cost?: number;
  cost_details?: object;
}

/** Returns the payloads of a stream's `data:` lines. */
export function payloadsOf(stream: string): string[] {
  return stream
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length));
}

/** Returns the chunks among a stream's payloads. */
export function chunksIn(stream: string): ChunkJson[] {
  return payloadsOf(stream)
    .filter((payload) => payload.includes("chat.completion.chunk"))
    .map((payload) => JSON.parse(payload));
}

/** Returns the content of one choice of a stream. */
export function contentIn(stream: string, choice = 0): string {
  return chunksIn(stream)
    .flatMap((chunk) => chunk.choices)
    .filter(({ index }) => index === choice)
    .map(({ delta }) => delta.content ?? "")
    .join("");
}
