import type { JsonObject } from "@tollgate/core/json";
import { isComplete } from "./chat/call-parts.ts";
import { toolCallText } from "./chat/content.ts";

interface OrderedCall {
  index: unknown;
  text: string;
  /** The parts that wait. */
  parts: JsonObject[];
}

/**
 * Orders the parts of tool calls for wires on which a call ends before the next one starts. Providers may
 * mix the parts of parallel calls: those of a call wait until the arguments of the call before are whole,
 * or until the calls end.
 */
export class CallOrder {
  /** The call that is being written, and those after it. */
  #calls: OrderedCall[] = [];

  /** Whether there has been a call. */
  #hasCalls = false;

  get hasCalls(): boolean {
    return this.#hasCalls;
  }

  /** Adds a part. Returns the parts to write next. */
  add(part: JsonObject): JsonObject[] {
    this.#hasCalls = true;
    const { index = 0 } = part;
    const known = this.#calls.find((call) => call.index === index);
    const call = known ?? { index, text: "", parts: [] };
    if (known === undefined) this.#calls.push(call);
    call.text += toolCallText(part).text;
    call.parts.push(part);
    return this.#take();
  }

  /** Returns the parts that wait. Called where other content follows the calls, or nothing. */
  end(): JsonObject[] {
    const parts = this.#calls.flatMap((call) => call.parts);
    this.#calls = [];
    return parts;
  }

  #take(): JsonObject[] {
    const taken: JsonObject[] = [];
    for (let [first] = this.#calls; first !== undefined; [first] = this.#calls) {
      taken.push(...first.parts);
      first.parts = [];
      if (this.#calls.length === 1 || !isComplete(first.text)) return taken;
      this.#calls.shift();
    }
    return taken;
  }
}
