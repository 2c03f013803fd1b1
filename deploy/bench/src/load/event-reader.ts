interface Chunk {
  error?: { message?: string };
  choices?: { delta?: { content?: string } }[];
}

/**
 * Creates a reader of a stream of chat chunks. `push` parses the next bytes and calls `onText` with each
 * text; it throws when an event reports an error. `isDone` returns whether `[DONE]` was received.
 */
export function createStreamReader(onText: (text: string) => void) {
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
    push(bytes: Buffer) {
      const events = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) readEvent(event);
    },
    isDone: () => done,
  };
}
