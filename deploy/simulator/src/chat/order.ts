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

/** `created` of an answer: the call's arrival in Unix seconds. */
export function createdAt({ entry }: Pick<Order, "entry">): number {
  return Math.floor(entry.at / 1000);
}
