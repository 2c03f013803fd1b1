/** One message of a chat of the playground. */
export interface PlayedMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

/** A chat completion request, as the page sends it and as `curl` would. */
export interface PlayedRequest {
  model: string;
  messages: readonly PlayedMessage[];
  max_tokens?: number;
  temperature?: number;
}

/** What a response has brought so far. */
export type ChatEvent =
  | { kind: "begun"; requestId: string }
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string }
  | { kind: "usage"; usage: PlayedUsage };

export interface PlayedUsage {
  promptTokens: number;
  completionTokens: number;
  /** In USD, as the response has it: with exactly six decimals. */
  cost: string;
}

/** A request of the playground that was refused, or whose stream has ended with an error. */
export class ChatFailure extends Error {}

/**
 * Sends a streaming chat completion request to the console, which relays it to the gateway, and yields what
 * arrives. Throws a ChatFailure, also for a stream that ends without its end. Aborting the signal cancels the
 * request.
 */
export async function* streamChat(
  request: PlayedRequest,
  { account, signal }: { account: string; signal: AbortSignal },
): AsyncGenerator<ChatEvent> {
  const query = account === "" ? "" : `?account=${encodeURIComponent(account)}`;
  const response = await fetch(`/playground/chat/completions${query}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...request, stream: true }),
    signal,
  });
  const requestId = response.headers.get("x-request-id") ?? "";
  yield { kind: "begun", requestId };
  if (!response.ok || response.body === null) throw new ChatFailure(await refusalOf(response));
  for await (const data of eventDataOf(response.body)) {
    if (data === "[DONE]") return;
    yield* readChunk(data);
  }
  throw new ChatFailure("The response ended before its end.");
}

/** Yields the data of each server-sent event of a body. */
export async function* eventDataOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream).getReader();
  let rest = "";
  try {
    while (true) {
      const { done, value } = (await reader.read()) as ReadableStreamReadResult<string>;
      if (done) return;
      const events = (rest + value).split(/\r?\n\r?\n/);
      rest = events.pop() ?? "";
      for (const event of events) {
        const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"));
        if (lines.length > 0) yield lines.map((line) => line.slice(5).trimStart()).join("\n");
      }
    }
  } finally {
    await reader.cancel();
  }
}

/** Yields what a chunk of a stream says. Throws a ChatFailure for one that is an error. */
export function* readChunk(data: string): Generator<ChatEvent> {
  const chunk = JSON.parse(data) as Chunk;
  if (chunk.error !== undefined)
    throw new ChatFailure(chunk.error.message ?? "The request failed.");
  const { content, reasoning_content: thinking } = chunk.choices?.[0]?.delta ?? {};
  if (thinking) yield { kind: "thinking", text: thinking };
  if (content) yield { kind: "text", text: content };
  if (chunk.usage) {
    const { prompt_tokens: promptTokens = 0, completion_tokens: completionTokens = 0 } =
      chunk.usage;
    yield { kind: "usage", usage: { promptTokens, completionTokens, cost: costIn(data) } };
  }
}

/** Returns the cost in the text of a chunk, digit by digit: a number would lose its zeros. */
function costIn(data: string): string {
  return /"cost":\s*(\d+(?:\.\d+)?)/.exec(data)?.[1] ?? "";
}

async function refusalOf(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { message?: string; error?: { message?: string } };
    return body.error?.message ?? body.message ?? statusText(response);
  } catch {
    return statusText(response);
  }
}

function statusText({ status }: Response): string {
  return `The request was refused with the status ${status}.`;
}

interface Chunk {
  error?: { message?: string };
  choices?: { delta?: { content?: string | null; reasoning_content?: string | null } }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
}
