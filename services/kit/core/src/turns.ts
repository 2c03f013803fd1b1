import { GatewayError } from "./errors.ts";

/** Runs a piece of work once those before it have ended. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Returns a function that runs one piece of work at a time, in the order of its calls. While `most` run or wait,
 * a further call is refused with `rate_limited` and the message.
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
