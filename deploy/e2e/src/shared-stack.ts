import { freePort } from "@tollgate/local/free-port";
import { type OwnStack, type Stack, startStack } from "./stack.ts";

/** A web page of this origin may call the shared stack. */
export const allowedOrigin = `http://localhost:${await freePort()}`;

/** Settings that shorten the waits of tests, and the origin. */
const settings = {
  TOLLGATE_HOLD_SECONDS: "5",
  TOLLGATE_SESSION_WAIT_SECONDS: "2",
  TOLLGATE_CORS_ORIGINS: allowedOrigin,
};

/** The files of a worker run one after another in one module graph: see `isolate` in the config. */
let started: Promise<OwnStack> | undefined;

/**
 * Resolves with the stack of this worker, which the files that damage nothing use in turn. The
 * first call starts it, and it ends with the worker. Each file finds the simulator's call log
 * empty.
 */
export async function sharedStack(): Promise<Stack> {
  started ??= startStack(settings);
  const stack = await started;
  stack.simulator.calls.clear();
  return stack;
}
