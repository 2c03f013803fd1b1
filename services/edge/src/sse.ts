const prefix = Buffer.from("data: ");
const suffix = Buffer.from("\n\n");
const terminator = Buffer.from("data: [DONE]\n\n");

/** Frames JSON payloads as server-sent events; what came together stays so. Ends with `[DONE]`. */
export async function* eventStream(
  batches: AsyncIterable<readonly Uint8Array[]>,
): AsyncGenerator<Uint8Array> {
  for await (const payloads of batches) {
    yield Buffer.concat(payloads.flatMap((payload) => [prefix, payload, suffix]));
  }
  yield terminator;
}
