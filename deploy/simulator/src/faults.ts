import { once } from "node:events";
import { pause, type SimulatorCall } from "./call.ts";
import type { CallCounter } from "./call-counter.ts";
import type { RecordedCall } from "./call-log.ts";
import type { Commands } from "./commands.ts";
import { type ProviderError, sendProviderError } from "./error-response.ts";

/**
 * Injects the faults that come before any response, on every route: the delay, then a refused
 * connection, a hang or an error status. Resolves with true when the call is thereby finished.
 */
export async function injectFaults(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
): Promise<boolean> {
  if (commands.delay_ms) await pause(call, commands.delay_ms);
  if (commands.refuse) {
    recorded.outcome = "refused";
    call.response.destroy();
    return true;
  }
  if (commands.hang) {
    recorded.outcome = "hung";
    if (!call.disconnected.aborted) await once(call.disconnected, "abort");
    return true;
  }
  if (commands.key !== undefined && !isSentKey(call, commands.key)) return false;
  const status = failingStatus(commands, call.state.callCounter);
  if (status === undefined) return false;
  sendProviderError(call, commandedError(status, commands), recorded);
  return true;
}

/** Returns whether the request carries a key, in one of the headers in which vendors expect it. */
function isSentKey({ request: { headers } }: SimulatorCall, key: string): boolean {
  return [headers.authorization, headers["x-api-key"]].some((sent) => sent?.includes(key));
}

/** Returns the error that the commands specify, with their message or a default one. */
export function commandedError(status: number, commands: Commands): ProviderError {
  const message = commands.message ?? `the simulator was commanded to return ${status}`;
  return { status, message, code: "simulated" };
}

function failingStatus(commands: Commands, callCounter: CallCounter): number | undefined {
  const { fail_first: failing, pass_first: passing, id, status } = commands;
  if (id === undefined || (failing ?? passing) === undefined) return status;
  const count = callCounter.increment(id);
  const isPassed = failing === undefined ? count <= (passing ?? 0) : count > failing;
  return isPassed ? undefined : (status ?? 503);
}
