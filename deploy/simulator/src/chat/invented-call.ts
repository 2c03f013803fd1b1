import type { Commands } from "../commands.ts";

/** A call of a tool, as the simulator makes it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text; the input of a custom tool. */
  readonly arguments: string;
  readonly isCustom?: true;
}

/** Returns the call as often as the command `calls` specifies, each with an id of its own. */
export function parallelCalls(call: ToolCall, { calls = 1 }: Commands): ToolCall[] {
  return Array.from({ length: calls }, (_, index) =>
    index === 0 ? call : { ...call, id: `${call.id}_${index}` },
  );
}
