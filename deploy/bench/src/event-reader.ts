export interface StreamReader {
  /** Parses the next bytes of the stream. */
  push(bytes: Buffer): void;
  /** Returns whether `[DONE]` was received. */
  isDone(): boolean;
}

interface Chunk {
  error?: { message?: string };
  choices?: { delta?: { content?: string } }[];
}

/**
 * Creates a reader of a stream of chat chunks. Calls `onText` with each text when it arrives.
 * `push` throws when an event reports an error.
 */
export function createStreamReader(onText: (text: string) => void): StreamReader {
  const decoder = new TextDecoder();
  let rest = "";
  let done = false;

  function readEvent(event: string): void {
    if (!event.startsWith("data: ")) return;
    if (event === "data: [DONE]") {
      done = true;
      return;
    }
    const chunk = JSON.parse(event.slice("data: ".length)) as Chunk;
    if (chunk.error) throw new Error(`the stream reported an error: ${chunk.error.message}`);
    const text = chunk.choices?.[0]?.delta?.content;
    if (text) onText(text);
  }

  return {
    push(bytes) {
      const events = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) readEvent(event);
    },
    isDone: () => done,
  };
}
