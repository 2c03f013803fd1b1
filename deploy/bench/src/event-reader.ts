export interface StreamReader {
  /** Takes bytes of the stream as they come. */
  take(part: Buffer): void;
  /** Whether `[DONE]` has come. */
  isDone(): boolean;
}

interface Chunk {
  error?: { message?: string };
  choices?: { delta?: { content?: string } }[];
}

/**
 * Reads a stream of chat chunks, and tells each text at the moment that it comes. Raises an Error
 * for an event that tells of one.
 */
export function createStreamReader(onText: (text: string) => void): StreamReader {
  const decoder = new TextDecoder();
  let rest = "";
  let done = false;

  function takeEvent(event: string): void {
    if (!event.startsWith("data: ")) return;
    if (event === "data: [DONE]") {
      done = true;
      return;
    }
    const chunk = JSON.parse(event.slice("data: ".length)) as Chunk;
    if (chunk.error) throw new Error(`told of an error: ${chunk.error.message}`);
    const text = chunk.choices?.[0]?.delta?.content;
    if (text) onText(text);
  }

  return {
    take(part) {
      const events = (rest + decoder.decode(part, { stream: true })).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) takeEvent(event);
    },
    isDone: () => done,
  };
}
