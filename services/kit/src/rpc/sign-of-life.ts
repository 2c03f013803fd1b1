import { PeerError } from "../errors.ts";

/** How often a replica is asked for a sign of life, and how soon it must give one. */
const askEveryMs = 500;
export const signOfLifeMs = 500;
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

/** `ask` asks for a sign of life: it is silent whose answer is out at its deadline. */
export function watchSignOfLife(ask: () => Promise<unknown>): SignOfLife {
  let isSilent = false;
  let isAsked = false;
  let calledAt = -Infinity;

  async function look(): Promise<void> {
    const isIdle = performance.now() - calledAt > idleMs;
    if (isAsked || (isIdle && !isSilent)) return;
    isAsked = true;
    isSilent = await ask().then(() => false, isDeadline);
    isAsked = false;
  }

  const clock = setInterval(() => void look(), askEveryMs);
  clock.unref();
  return {
    isSilent: () => isSilent,
    called() {
      calledAt = performance.now();
    },
    stop: () => clearInterval(clock),
  };
}

function isDeadline(error: unknown): boolean {
  return error instanceof PeerError && error.reason === "deadline";
}
