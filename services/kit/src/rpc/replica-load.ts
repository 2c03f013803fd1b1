import { GatewayError, PeerError } from "../errors.ts";

/** For how long a call that failed counts: a replica that fails at once would else seem idle. */
const failureMs = 1_000;
/** How often a replica is asked for a sign of life, and how soon it must give one. */
const askEveryMs = 1_000;
export const signOfLifeMs = 1_000;
/** One that has had no calls for so many times is not asked. */
const mostIdleTimes = 10;
/** More calls than any replica has. */
const silentLoad = 1_000_000;

/** How much a replica has to do, as its caller sees it. */
export interface ReplicaLoad {
  /** Calls that have not ended, and those that failed a moment ago; far more where it is silent. */
  now(): number;
  underWay(): number;
  begin(): void;
  end(): void;
  /** Notes with what error a call ended, and raises it. */
  fail(error: unknown): never;
  /** Asks for signs of life no more. */
  stop(): void;
}

/** `ask` asks for a sign of life. A replica that hangs keeps its connection, and fails only by it. */
export function createReplicaLoad(ask: () => Promise<unknown>): ReplicaLoad {
  let underWay = 0;
  let failed = 0;
  let isSilent = false;
  let isAsked = false;
  let idleTimes = mostIdleTimes;

  async function look(): Promise<void> {
    idleTimes = underWay === 0 ? idleTimes + 1 : 0;
    if (isAsked || (idleTimes > mostIdleTimes && !isSilent)) return;
    isAsked = true;
    isSilent = await ask().then(() => false, isDeadline);
    isAsked = false;
  }

  const clock = setInterval(() => void look(), askEveryMs);
  clock.unref();
  return {
    now: () => underWay + failed + (isSilent ? silentLoad : 0),
    underWay: () => underWay,
    begin() {
      underWay += 1;
      idleTimes = 0;
    },
    end() {
      underWay -= 1;
    },
    fail(error) {
      if (!isFault(error)) throw error;
      failed += 1;
      const forget = setTimeout(() => {
        failed -= 1;
      }, failureMs);
      forget.unref();
      throw error;
    },
    stop: () => clearInterval(clock),
  };
}

/** What another replica might have done better, unlike a refusal, or a call that was given up. */
function isFault(error: unknown): boolean {
  if (error instanceof GatewayError) return error.code === "internal_error";
  return !(error instanceof PeerError && givenUp.has(error.reason));
}

const givenUp: ReadonlySet<PeerError["reason"]> = new Set(["cancelled", "draining"]);

function isDeadline(error: unknown): boolean {
  return error instanceof PeerError && error.reason === "deadline";
}
