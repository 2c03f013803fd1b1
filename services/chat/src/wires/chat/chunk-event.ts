/** Returns a server-sent event with a chunk, whose JSON must have no line breaks. */
export function chunkEvent(json: string): Buffer {
  return Buffer.from(`data: ${json}\n\n`);
}

/** The event that ends a complete stream. */
export const doneEvent: Uint8Array = Buffer.from("data: [DONE]\n\n");
