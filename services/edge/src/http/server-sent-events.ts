const prefix = Buffer.from("data: ");
const suffix = Buffer.from("\n\n");
const terminator = Buffer.from("data: [DONE]\n\n");

/**
 * Yields the JSON payloads of messages as server-sent events, then `[DONE]`. The events of one
 * message are one chunk.
 */
export async function* eventStream<Message>(
  messages: AsyncIterable<Message>,
  payloadsOf: (message: Message) => readonly Uint8Array[],
): AsyncGenerator<Uint8Array> {
  for await (const message of messages) {
    yield Buffer.concat(payloadsOf(message).flatMap((payload) => [prefix, payload, suffix]));
  }
  yield terminator;
}
