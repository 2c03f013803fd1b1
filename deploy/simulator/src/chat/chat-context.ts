import type { SimulatorCall } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import type { Commands } from "../commands.ts";
import type { SimulatedGeneration } from "./generation.ts";
import type { ChatRequest } from "./request.ts";

/** What it takes to respond to one chat call, as JSON or as a stream. */
export interface ChatContext {
  readonly call: SimulatorCall;
  readonly recorded: RecordedCall;
  readonly request: ChatRequest;
  readonly commands: Commands;
  readonly generation: SimulatedGeneration;
}

/**
 * Returns the first fields of a completion or a chunk. With the `no_head` command they are without
 * `id`, `object` and `created`.
 */
export function commonFields(context: ChatContext, object: string): object {
  const { request, commands, generation } = context;
  const head = { id: generation.id, object, created: createdAt(context) };
  return {
    ...(commands.no_head ? {} : head),
    model: request.model,
    ...(commands.own_session ? { session_id: `session-${generation.id}` } : {}),
  };
}

/** The time at which the call arrived, in Unix seconds. */
function createdAt({ recorded }: ChatContext): number {
  return Math.floor(recorded.at / 1000);
}
