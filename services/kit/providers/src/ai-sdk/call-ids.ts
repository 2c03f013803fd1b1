import { createHash } from "node:crypto";
import type { LanguageModelV4Message } from "@ai-sdk/provider";

/**
 * Returns messages with the ids of their calls, and of the results of these, as `idOf` returns them. An id
 * that an earlier call has gets a number: providers take each once.
 */
export function withCallIds(
  prompt: readonly LanguageModelV4Message[],
  idOf: (id: string) => string,
): LanguageModelV4Message[] {
  const ids = new CallIds(idOf);
  return prompt.map((message) => {
    if (message.role === "assistant") {
      ids.beginTurn();
      return { ...message, content: message.content.map((part) => withId(part, ids)) };
    }
    if (message.role !== "tool") return message;
    return { ...message, content: message.content.map((part) => withId(part, ids)) };
  });
}

/** The ids of one prompt's calls, as its provider is sent them. */
class CallIds {
  readonly #idOf: (id: string) => string;
  readonly #sent = new Set<string>();
  /** By a client's id, those of the turn's calls whose results have not been seen. The last one stays. */
  readonly #open = new Map<string, string[]>();

  constructor(idOf: (id: string) => string) {
    this.#idOf = idOf;
  }

  beginTurn(): void {
    this.#open.clear();
  }

  ofCall(id: string): string {
    let sent = this.#idOf(id);
    for (let number = 2; this.#sent.has(sent); number += 1) sent = this.#idOf(`${id}-${number}`);
    this.#sent.add(sent);
    const open = this.#open.get(id);
    if (open === undefined) this.#open.set(id, [sent]);
    else open.push(sent);
    return sent;
  }

  ofResult(id: string): string {
    const open = this.#open.get(id) ?? [];
    const [sent = this.#idOf(id)] = open;
    if (open.length > 1) open.shift();
    return sent;
  }
}

/** Returns characters of the hash of another provider's id: the same in a call and in its result. */
export function hashOfId(id: string, characters: number): string {
  return createHash("sha256").update(id).digest("hex").slice(0, characters);
}

function withId<Part extends object>(part: Part, ids: CallIds): Part {
  if (!("toolCallId" in part && "type" in part)) return part;
  const id = String(part.toolCallId);
  return { ...part, toolCallId: part.type === "tool-call" ? ids.ofCall(id) : ids.ofResult(id) };
}
