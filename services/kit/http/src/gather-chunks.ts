import { Transform } from "node:stream";

const pieceBytes = 64 * 1024;

/**
 * Gathers a body into pieces of 64 KiB, and a rest, whatever chunks it comes in: what is done for a
 * chunk costs far more than its bytes do, and a client may send them one by one.
 */
export function gatherPieces(): Transform {
  let piece = Buffer.alloc(0);
  let filled = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length; ) {
        if (filled === 0) piece = Buffer.allocUnsafe(pieceBytes);
        const copied = chunk.copy(piece, filled, at);
        filled += copied;
        at += copied;
        if (filled < pieceBytes) continue;
        filled = 0;
        this.push(piece);
      }
      done();
    },
    flush(done) {
      done(null, filled === 0 ? undefined : piece.subarray(0, filled));
    },
  });
}
