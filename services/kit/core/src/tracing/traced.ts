import { tellFailure } from "./failure.ts";
import type { Span, Tracer } from "./tracer.ts";

/** Does `work` inside a span, which ends with it. */
export async function traced<T>(tracer: Tracer, span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await tracer.within(span, work);
  } catch (error) {
    tellFailure(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * The items of `open`, inside a span that lasts from the first one asked for to the last. A
 * generator goes on in the context of whoever asks for its next item, so each is asked for inside
 * the span.
 */
export async function* tracedItems<Item>(
  tracer: Tracer,
  start: () => Span,
  open: (span: Span) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const span = start();
  let isLeft = true;
  let items: AsyncIterator<Item> | undefined;
  try {
    const source = tracer.within(span, () => open(span)[Symbol.asyncIterator]());
    items = source;
    for (;;) {
      const next = await tracer.within(span, () => source.next());
      isLeft = next.done !== true;
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    isLeft = false;
    tellFailure(span, error);
    throw error;
  } finally {
    if (isLeft) {
      span.set({ "error.type": "cancelled" });
      await tracer.within(span, async () => items?.return?.());
    }
    span.end();
  }
}
