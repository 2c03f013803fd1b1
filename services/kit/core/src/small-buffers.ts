/**
 * Copying a buffer of at most this size costs less than handling it by itself. Copying a larger one
 * costs more, since every copy brings V8's next marking of the heap closer.
 */
const maxSmallBytes = 16 * 1024;
const maxJoinedBytes = 1024 * 1024;

/**
 * Returns the same bytes in fewer buffers: neighbors of at most 16 KiB each are joined, up to 1 MiB,
 * and larger buffers are not copied.
 */
export function joinSmallBuffers<Bytes extends Uint8Array>(
  buffers: readonly Bytes[],
): (Bytes | Buffer)[] {
  const joined: (Bytes | Buffer)[] = [];
  let run: Bytes[] = [];
  let runBytes = 0;
  const endRun = () => {
    if (run.length > 0) joined.push(run.length === 1 ? (run[0] as Bytes) : Buffer.concat(run));
    run = [];
    runBytes = 0;
  };
  for (const buffer of buffers) {
    const isSmall = buffer.byteLength <= maxSmallBytes;
    if (!isSmall || runBytes + buffer.byteLength > maxJoinedBytes) endRun();
    if (isSmall) {
      run.push(buffer);
      runBytes += buffer.byteLength;
    } else joined.push(buffer);
  }
  endRun();
  return joined;
}
