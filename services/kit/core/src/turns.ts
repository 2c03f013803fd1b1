import { GatewayError } from "./errors.ts";

/** Runs a piece of work when those before it have ended. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Creates what runs one piece of work at a time, in the order of the calls. A call beyond `most` that wait or run
 * is refused with `rate_limited` and the message.
 */
export function createTurns(most: number, message: string): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  return async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (waiting >= most) throw new GatewayError("rate_limited", message, { retryAfterSeconds: 5 });
    waiting += 1;
    const turn = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = turn.catch(() => {});
    return turn;
  };
}
