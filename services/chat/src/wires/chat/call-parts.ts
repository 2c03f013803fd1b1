import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { hasSameItems } from "../same-items.ts";
import { toolCallText } from "./content.ts";

/** More than any model calls in one response. */
const maxToolCalls = 1_000;

/** Returns an id for a call of a choice whose provider gives it none, or that of another call. */
export function ownCallId(responseId: string, choice: number, call: number): string {
  return `call_${responseId}${hex(choice)}${hex(call)}`;
}

function hex(index: number): string {
  return index.toString(16).padStart(2, "0");
}

/** What the parts of a call are read with. */
export interface ToolCallContext {
  /** See `ownCallId`. */
  idOf(index: number): string;
  /** Whether a name is one in the request. A name that is not may be the start of one. */
  isKnown(name: string): boolean;
  /** Whether a longer name in the request begins with this one. */
  isStart(name: string): boolean;
}

interface Call {
  /** Its index among the calls of its choice. */
  index: number;
  /** The index that the provider gives it; undefined for none. */
  key: number | undefined;
  /** The id that the provider gives it; empty for none. */
  id: string;
  kind: "function" | "custom";
  name: string;
  /** The arguments of a function, or the input of a custom tool, so far. */
  text: string;
  /** What else its first parts have, until its first part is returned. */
  held: JsonObject | undefined;
}

/**
 * Reads the parts of a choice's tool calls as OpenAI writes them: the calls have the indexes 0, 1, and so
 * on; the first part of each has its id, its type and its whole name; no later part has one of them; and
 * arguments are texts. Providers repeat or leave out indexes, ids and names, and write whole calls.
 */
export class CallPartsReader {
  readonly #context: ToolCallContext;
  readonly #calls: Call[] = [];
  #last: Call | undefined;

  constructor(context: ToolCallContext) {
    this.#context = context;
  }

  /** Returns the parts to send for those of a delta: the same list where it is as OpenAI writes it. */
  read(parts: readonly unknown[]): readonly unknown[] {
    const sent: unknown[] = [];
    for (const part of objectsIn(parts)) {
      if (!isCallPart(part)) continue;
      const call = this.#callOf(part);
      if (isRepeated(part, call)) continue;
      if (this.#last !== undefined && this.#last !== call) this.#release(this.#last, sent);
      this.#last = call;
      const one = this.#add(call, part);
      if (one !== undefined) sent.push(one);
    }
    return hasSameItems(sent, parts) ? parts : sent;
  }

  /** Returns the first part of a call that waits for the rest of its name. Called where its choice ends. */
  end(): readonly unknown[] {
    const sent: unknown[] = [];
    if (this.#last !== undefined) this.#release(this.#last, sent);
    return sent;
  }

  /** Returns the call of a part, which opens one where it belongs to none. */
  #callOf(part: JsonObject): Call {
    const id = textOf(part.id);
    const key = typeof part.index === "number" ? part.index : undefined;
    const last = key === undefined ? this.#last : this.#calls.findLast((one) => one.key === key);
    const same = id === "" ? undefined : this.#calls.findLast((one) => one.id === id);
    const found =
      same === undefined ? this.#continued(last, id, part) : this.#repeated(same, key, part);
    if (found === undefined) return this.#open(key, id);
    if (found.id === "") found.id = id;
    return found;
  }

  /** Returns the call with the same id as a part, unless the provider uses the id once more. */
  #repeated(same: Call, key: number | undefined, part: JsonObject): Call | undefined {
    if (isRepeated(part, same)) return same;
    const isNewKey = key !== undefined && this.#calls.every((one) => one.key !== key);
    if (isNewKey && same.key !== undefined) {
      return toolCallText(part).name === "" ? same : undefined;
    }
    return this.#startsNext(same, part) ? undefined : same;
  }

  /**
   * Returns the call that a part with no id, or with one that no call has, continues. Some providers send
   * the id late, and some a new one with each part.
   */
  #continued(last: Call | undefined, id: string, part: JsonObject): Call | undefined {
    if (last === undefined) return undefined;
    if (id === "" || last.id === "") return this.#startsNext(last, part) ? undefined : last;
    return toolCallText(part).name === "" && last.name !== "" ? last : undefined;
  }

  /** Whether a part without an id of its own starts another call than the one with its index. */
  #startsNext({ name: before, text: written, held }: Call, part: JsonObject): boolean {
    const { name, text } = toolCallText(part);
    if (name === "" || before === "") return false;
    if (written !== "") return name !== before || (isComplete(written) && text.trim() !== "");
    if (name === before || held === undefined) return name !== before;
    const context = this.#context;
    if (!context.isKnown(before) || !context.isKnown(name)) return false;
    const whole = joined(before, name);
    return !context.isKnown(whole) && !context.isStart(whole);
  }

  #open(key: number | undefined, id: string): Call {
    if (this.#calls.length === maxToolCalls) {
      throw new SlotFailure("rejected", "the provider's stream has too many tool calls");
    }
    const index = this.#calls.length;
    const call: Call = { index, key, id, kind: "function", name: "", text: "", held: {} };
    this.#calls.push(call);
    return call;
  }

  /** Adds a part. Returns what is sent for it; undefined for nothing. */
  #add(call: Call, part: JsonObject): unknown {
    const { kind, name, text } = toolCallText(part);
    if (kind === "custom") call.kind = kind;
    if (call.held === undefined) {
      call.text += text;
      return isLaterPart(part, call) ? part : laterPart(part, call, text);
    }
    const isFirst = call.text === "" && call.name === "";
    call.name = joined(call.name, name);
    call.text += text;
    const isWhole = call.name !== "" && (call.text !== "" || this.#isOnly(call.name));
    if (!isWhole) {
      call.held = { ...call.held, ...part };
      return undefined;
    }
    const { held } = call;
    call.held = undefined;
    const id = this.#sentId(call);
    if (isFirst && isFirstPart(part, call, id)) return part;
    return firstPart({ ...held, ...part }, call, id);
  }

  /** Whether a name is one in the request, and no other begins with it. */
  #isOnly(name: string): boolean {
    return this.#context.isKnown(name) && !this.#context.isStart(name);
  }

  #release(call: Call, sent: unknown[]): void {
    if (call.held === undefined || call.name === "") return;
    const { held } = call;
    call.held = undefined;
    sent.push(firstPart(held, call, this.#sentId(call)));
  }

  /** Clients send results by the ids of their calls, which therefore must differ. */
  #sentId({ index, id }: Call): string {
    const isTaken = this.#calls.some((other) => other.index < index && other.id === id);
    return id === "" || isTaken ? this.#context.idOf(index) : id;
  }
}

/** Whether an item is a part of a call. Providers may add items of other types. */
function isCallPart({ type, id, index, function: called, custom }: JsonObject): boolean {
  if (isJsonObject(called) || isJsonObject(custom)) return true;
  const isKnown = type === undefined || type === null || type === "function" || type === "custom";
  return isKnown && (typeof id === "string" || typeof index === "number");
}

/** Whether a part is a whole call that was read before. Some providers end with all of them. */
function isRepeated({ id, ...part }: JsonObject, call: Call): boolean {
  if (id !== call.id || call.text === "") return false;
  const { name, text } = toolCallText(part);
  return name === call.name && text === call.text && isComplete(text);
}

/** Returns whether a text is a whole JSON object. */
export function isComplete(text: string): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Returns a name with another part of it, which may repeat what came before. */
function joined(name: string, more: string): string {
  return more.startsWith(name) ? more : name + more;
}

function isFirstPart(part: JsonObject, { index, kind }: Call, id: string): boolean {
  return part.index === index && part.id === id && part.type === kind && isTextual(part, kind);
}

function isLaterPart(part: JsonObject, { index, kind }: Call): boolean {
  if (part.index !== index || textOf(part.id) !== "") return false;
  return toolCallText(part).name === "" && isTextual(part, kind);
}

/** Whether the arguments in a part are a text, or left out. */
function isTextual(part: JsonObject, kind: Call["kind"]): boolean {
  const body = part[kind];
  if (!isJsonObject(body)) return body === undefined;
  const text = kind === "custom" ? body.input : body.arguments;
  return text === undefined || typeof text === "string";
}

function firstPart(part: JsonObject, call: Call, id: string): JsonObject {
  const { index, kind, name, text } = call;
  return {
    ...part,
    index,
    id,
    type: kind,
    [kind]: { ...bodyOf(part, kind), name, ...textIn(kind, text) },
  };
}

function laterPart({ id: _, type: __, ...part }: JsonObject, call: Call, text: string): JsonObject {
  const { index, kind } = call;
  const { name: ___, ...body } = bodyOf(part, kind);
  return { ...part, index, [kind]: { ...body, ...textIn(kind, text) } };
}

function bodyOf(part: JsonObject, kind: Call["kind"]): JsonObject {
  const body = part[kind];
  return isJsonObject(body) ? body : {};
}

function textIn(kind: Call["kind"], text: string): JsonObject {
  return kind === "custom" ? { input: text } : { arguments: text };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
