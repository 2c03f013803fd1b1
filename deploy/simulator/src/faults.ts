import { once } from "node:events";
import { type Call, pause } from "./call.ts";
import type { Commands } from "./commands.ts";
import { answerError, type ProviderError } from "./error-answer.ts";
import type { FirstCalls } from "./first-calls.ts";
import type { JournalEntry } from "./journal.ts";

/**
 * Does what a call's commands ask for ahead of any answer, whatever the route: the delay, then a
 * refused connection, silence or an error status. True when that was the whole answer.
 */
export async function meetFaults(
  call: Call,
  entry: JournalEntry,
  commands: Commands,
): Promise<boolean> {
  if (commands.delay_ms) await pause(call, commands.delay_ms);
  if (commands.refuse) {
    entry.outcome = "refused";
    call.response.destroy();
    return true;
  }
  if (commands.hang) {
    entry.outcome = "hung";
    if (!call.left.aborted) await once(call.left, "abort");
    return true;
  }
  const status = failingStatus(commands, call.world.firstCalls);
  if (status === undefined) return false;
  answerError(call, commandedError(status, commands), entry);
  return true;
}

/** The error that a call asks for, with its own text or a plain one. */
export function commandedError(status: number, commands: Commands): ProviderError {
  const message = commands.message ?? `the simulator was told to answer ${status}`;
  return { status, message, code: "simulated" };
}

function failingStatus(commands: Commands, firstCalls: FirstCalls): number | undefined {
  if (commands.fail_first === undefined || commands.id === undefined) return commands.status;
  const passed = firstCalls.count(commands.id) > commands.fail_first;
  return passed ? undefined : (commands.status ?? 503);
}
