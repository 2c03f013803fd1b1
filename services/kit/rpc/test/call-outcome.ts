import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "vitest";

/** What a call comes to that is to fail, for the specs of calls. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("the call must fail"),
    (error: unknown) => error,
  );
}

/** Reads a stream to its end, and tells what came and how it ended. */
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
