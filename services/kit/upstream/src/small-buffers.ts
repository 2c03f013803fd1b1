/**
 * A copy of buffers that together have at most this size costs less than a write to the socket for
 * each. A copy of larger ones costs more: every copy brings V8's next marking of the heap closer.
 */
const maxJoinedBytes = 16 * 1024;

/**
 * Returns the same bytes in fewer buffers: neighbors are joined up to 16 KiB, and larger buffers are
 * not copied.
 */
export function joinSmallBuffers(buffers: readonly Uint8Array[]): Uint8Array[] {
  const joined: Uint8Array[] = [];
  let run: Uint8Array[] = [];
  let runBytes = 0;
  const endRun = () => {
    if (run.length > 0) joined.push(run.length === 1 ? (run[0] as Uint8Array) : Buffer.concat(run));
    run = [];
    runBytes = 0;
  };
  for (const buffer of buffers) {
    if (runBytes + buffer.byteLength > maxJoinedBytes) endRun();
    run.push(buffer);
    runBytes += buffer.byteLength;
  }
  endRun();
  return joined;
}
