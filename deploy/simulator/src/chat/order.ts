import type { Call } from "../call.ts";
import type { Commands } from "../commands.ts";
import type { JournalEntry } from "../journal.ts";
import type { Generation } from "./generation.ts";
import type { ChatRequest } from "./request.ts";

/** All that it takes to write the answer to one chat call, in either form. */
export interface Order {
  readonly call: Call;
  readonly entry: JournalEntry;
  readonly request: ChatRequest;
  readonly commands: Commands;
  readonly generation: Generation;
}

/** How an answer or a chunk begins; with no name when the call says so. */
export function headOf(order: Order, object: string): object {
  const { request, commands, generation } = order;
  const name = { id: generation.id, object, created: createdAt(order) };
  return {
    ...(commands.no_head ? {} : name),
    model: request.model,
    ...(commands.own_session ? { session_id: `session-${generation.id}` } : {}),
  };
}

/** The call's arrival in Unix seconds. */
function createdAt({ entry }: Order): number {
  return Math.floor(entry.at / 1000);
}
