/** Waits for the first chunk of a stream. Returns a stream of all its chunks. */
export async function readToFirst<Chunk>(
  stream: AsyncIterable<Chunk>,
): Promise<AsyncIterable<Chunk>> {
  const rest = stream[Symbol.asyncIterator]();
  let unread: IteratorResult<Chunk> | undefined = await rest.next();
  const chunks: AsyncIterableIterator<Chunk> = {
    next() {
      if (unread === undefined) return rest.next();
      const first = Promise.resolve(unread);
      unread = undefined;
      return first;
    },
    async return() {
      await rest.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => chunks,
  };
  return chunks;
}
