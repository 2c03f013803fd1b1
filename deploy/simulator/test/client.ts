import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A chat request with one user message, over which `fields` are laid. */
export function chatBody(fields: Record<string, unknown> = {}, simulate?: string) {
  return {
    model: "sim-small",
    messages: [{ role: "user", content: "hello there" }],
    ...(simulate !== undefined && { metadata: { simulate } }),
    ...fields,
  };
}

export function postChat(url: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
}

export interface RawAnswer {
  /** The bytes as they came, one item a socket read. */
  readonly reads: readonly Buffer[];
  /** Everything that came, the headers and the framing of chunks included, as text. */
  readonly text: string;
  /** What follows the headers, as text, with the framing of chunks taken off. */
  readonly body: string;
}

/** Sends a chat request over a bare socket and takes what comes until the server closes it. */
export async function rawChat(url: string, body: unknown): Promise<RawAnswer> {
  const socket = openChat(url, body);
  const reads: Buffer[] = [];
  socket.on("data", (read: Buffer) => reads.push(read));
  socket.on("error", () => undefined);
  await once(socket, "close");
  const bytes = Buffer.concat(reads);
  return { reads, text: bytes.toString(), body: bodyOf(bytes).toString() };
}

function bodyOf(answer: Buffer): Buffer {
  const headEnd = answer.indexOf("\r\n\r\n");
  const body = answer.subarray(headEnd + 4);
  if (!/transfer-encoding: chunked/i.test(answer.toString("latin1", 0, headEnd))) return body;
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const sizeEnd = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.toString("latin1", at, sizeEnd), 16);
    pieces.push(body.subarray(sizeEnd + 2, sizeEnd + 2 + size));
    at = sizeEnd + 2 + size + 2;
  }
  return Buffer.concat(pieces);
}

/** Sends a chat request over a bare socket and leaves the rest to the caller. */
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

/** A JSON answer, taken to be of the form that the test expects. */
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

/** The payloads of a stream's `data:` lines. */
export function payloadsOf(stream: string): string[] {
  return stream
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length));
}

/** The chunks among a stream's payloads. */
export function chunksIn(stream: string): ChunkJson[] {
  return payloadsOf(stream)
    .filter((payload) => payload.includes("chat.completion.chunk"))
    .map((payload) => JSON.parse(payload));
}

/** What one choice of a stream says. */
export function contentIn(stream: string, choice = 0): string {
  return chunksIn(stream)
    .flatMap((chunk) => chunk.choices)
    .filter(({ index }) => index === choice)
    .map(({ delta }) => delta.content ?? "")
    .join("");
}
