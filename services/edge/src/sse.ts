const prefix = Buffer.from("data: ");
const suffix = Buffer.from("\n\n");
const terminator = Buffer.from("data: [DONE]\n\n");

/**
 * Frames the JSON payloads of messages as server-sent events; those of one message stay together.
 * Ends with `[DONE]`.
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
