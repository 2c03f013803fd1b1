import { once } from "node:events";
import type { SimulatorCall } from "./call.ts";
import type { RecordedCall } from "./call-log.ts";
import type { Commands } from "./commands.ts";

/** Stalls a stream until its client disconnects, if a command says so. Resolves with whether it has. */
export async function stallIfCommanded(
  { disconnected }: SimulatorCall,
  recorded: RecordedCall,
  { stall_after }: Commands,
): Promise<boolean> {
  if (stall_after !== recorded.chunksSent) return false;
  recorded.outcome = "hung";
  if (!disconnected.aborted) await once(disconnected, "abort");
  return true;
}
