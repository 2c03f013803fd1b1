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
 * The items of `open`, inside a span that lasts from the first one asked for to the last. A generator
 * goes on in the context of whoever asks for its next item, so each is asked for inside the span.
 */
export async function* tracedItems<Item>(
  tracer: Tracer,
  start: () => Span,
  open: (span: Span) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const span = start();
  let ended = false;
  let items: AsyncIterator<Item> | undefined;
  try {
    items = tracer.within(span, () => open(span)[Symbol.asyncIterator]());
    const source = items;
    for (;;) {
      const next = await tracer.within(span, () => source.next());
      if (next.done) break;
      yield next.value;
    }
    ended = true;
  } catch (error) {
    ended = true;
    tellFailure(span, error);
    throw error;
  } finally {
    if (!ended) await tracer.within(span, async () => items?.return?.());
    span.end();
  }
}
