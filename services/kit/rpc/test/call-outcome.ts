import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "vitest";

/** Returns the error with which a call rejects. Fails the test if it succeeds. */
export async function rejectionOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("the call must fail"),
    (error: unknown) => error,
  );
}

/** Reads a stream to its end. Returns its messages and the error with which it ended, if any. */
export async function readAll<T>(
  stream: AsyncIterable<T>,
): Promise<{ messages: T[]; error: unknown }> {
  const messages: T[] = [];
  try {
    for await (const message of stream) {
      messages.push(message);
      await nextTurn();
    }
    return { messages, error: undefined };
  } catch (error) {
    return { messages, error };
  }
}
