import { SlotFailure } from "@tollgate/upstream/failure";

/** The parts of an event besides its headers and its payload: lengths and checksums. */
const leastFrameBytes = 16;

/**
 * Throws a SlotFailure where an event of an AWS event stream is larger than the limit, or the stream ends
 * within one: https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
 */
export async function* limitFrames(
  body: AsyncIterable<Buffer>,
  maxFrameBytes: number,
): AsyncGenerator<Buffer> {
  let missingBytes = 0;
  let length: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    let at = 0;
    while (at < chunk.length) {
      if (missingBytes > 0) {
        const read = Math.min(missingBytes, chunk.length - at);
        missingBytes -= read;
        at += read;
        continue;
      }
      const added = chunk.subarray(at, at + 4 - length.length);
      length = Buffer.concat([length, added]);
      at += added.length;
      if (length.length < 4) break;
      missingBytes = frameBytes(length, maxFrameBytes) - length.length;
      length = Buffer.alloc(0);
    }
    yield chunk;
  }
  if (missingBytes === 0 && length.length === 0) return;
  throw new SlotFailure("rejected", "the provider's stream ends within an event");
}

function frameBytes(length: Buffer, maxFrameBytes: number): number {
  const bytes = length.readUInt32BE(0);
  if (bytes > maxFrameBytes) throw new SlotFailure("oversized", "an event is too large");
  if (bytes >= leastFrameBytes) return bytes;
  throw new SlotFailure("rejected", "the provider's event stream is not valid");
}
