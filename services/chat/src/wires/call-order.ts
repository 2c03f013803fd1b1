import type { JsonObject } from "@tollgate/core/json";
import { isComplete } from "./chat/call-parts.ts";
import { toolCallText } from "./chat/content.ts";

/** A piece of a response: a part of a tool call, of the reasoning, or of what is said. */
export type Piece =
  | { kind: "call"; part: JsonObject }
  | { kind: "thought"; text: string; details: readonly JsonObject[] }
  | { kind: "output_text" | "refusal"; text: string };

interface OrderedCall {
  index: unknown;
  text: string;
  /** The parts that wait. */
  parts: JsonObject[];
}

/**
 * Orders the pieces of a response for wires on which a tool call ends before anything else starts.
 * Providers may mix the parts of parallel calls, and send text between the parts of one. A call that has
 * started goes on, since the client has its start: what comes between its parts waits until its arguments
 * are whole, or until the response ends.
 */
export class CallOrder {
  /** The call that is being written, and what waits behind it, as it came. */
  #queue: (OrderedCall | Exclude<Piece, { kind: "call" }>)[] = [];

  /** Whether there has been a call. */
  #hasCalls = false;

  get hasCalls(): boolean {
    return this.#hasCalls;
  }

  /** Whether pieces have to be added: a call is being written. */
  get isOpen(): boolean {
    return this.#queue.length > 0;
  }

  /** Adds a piece. Returns those to write next. */
  add(piece: Piece): Piece[] {
    if (piece.kind === "call") this.#addPart(piece.part);
    else this.#queue.push(piece);
    return this.#take();
  }

  /** Returns the pieces that wait. Called where the response ends. */
  end(): Piece[] {
    const pieces = this.#queue.flatMap((one) => ("parts" in one ? piecesOf(one) : [one]));
    this.#queue = [];
    return pieces;
  }

  #addPart(part: JsonObject): void {
    this.#hasCalls = true;
    const { index = 0 } = part;
    const { name, text } = toolCallText(part);
    let call = this.#queue.find((one): one is OrderedCall => "parts" in one && one.index === index);
    if (call === undefined) {
      // First parts have a name: what comes behind the whole arguments of a call is none of them.
      if (name === "") return;
      call = { index, text: "", parts: [] };
      this.#queue.push(call);
    }
    call.text += text;
    call.parts.push(part);
  }

  #take(): Piece[] {
    const taken: Piece[] = [];
    for (let [first] = this.#queue; first !== undefined; [first] = this.#queue) {
      if ("parts" in first) {
        taken.push(...piecesOf(first));
        first.parts = [];
        if (this.#queue.length === 1 || !isComplete(first.text)) return taken;
      } else taken.push(first);
      this.#queue.shift();
    }
    return taken;
  }
}

function piecesOf({ parts }: OrderedCall): Piece[] {
  return parts.map((part) => ({ kind: "call", part }));
}
