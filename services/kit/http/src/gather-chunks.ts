import { Transform } from "node:stream";

const chunkBytes = 64 * 1024;

/**
 * Returns a stream that joins the chunks of a body into chunks of 64 KiB and a last smaller one. The
 * work per chunk costs far more than the work per byte, and a client may send a body byte by byte.
 */
export function gatherChunks(): Transform {
  let gathered = Buffer.alloc(0);
  let filled = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length; ) {
        if (filled === 0) gathered = Buffer.allocUnsafe(chunkBytes);
        const copied = chunk.copy(gathered, filled, at);
        filled += copied;
        at += copied;
        if (filled < chunkBytes) continue;
        filled = 0;
        this.push(gathered);
      }
      done();
    },
    flush(done) {
      done(null, filled === 0 ? undefined : gathered.subarray(0, filled));
    },
  });
}
