import { PeerError } from "@tollgate/core/errors";

/** How often a replica is asked for a sign of life, and how soon it must give one. */
const askEveryMs = 500;
export const signOfLifeMs = 500;
/** It may be busy, or we, for longer than that; not so twice in a row. */
const missesOfSilent = 2;
/** One that has had no call for so long is not asked. */
const idleMs = 10_000;

/** Whether a replica is silent: one that hangs keeps its connection, and calls to it only wait. */
export interface SignOfLife {
  isSilent(): boolean;
  /** A call to it begins. */
  called(): void;
  /** Asks no more. */
  stop(): void;
}

/** `ask` asks for a sign of life: one that misses its deadline twice in a row is silent. */
export function watchSignOfLife(ask: () => Promise<unknown>): SignOfLife {
  let misses = 0;
  let isAsked = false;
  let calledAt = -Infinity;

  async function look(): Promise<void> {
    const isIdle = performance.now() - calledAt > idleMs;
    if (isAsked || (isIdle && misses === 0)) return;
    isAsked = true;
    const isMiss = await ask().then(() => false, isDeadline);
    misses = isMiss ? misses + 1 : 0;
    isAsked = false;
  }

  const clock = setInterval(() => void look(), askEveryMs);
  clock.unref();
  return {
    isSilent: () => misses >= missesOfSilent,
    called() {
      calledAt = performance.now();
    },
    stop: () => clearInterval(clock),
  };
}

function isDeadline(error: unknown): boolean {
  return error instanceof PeerError && error.reason === "deadline";
}
