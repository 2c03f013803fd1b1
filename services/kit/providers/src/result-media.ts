import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/**
 * Where a part of a tool's result goes that is not text: in the result, in a message of the user behind
 * all results of the turn, or nowhere. Text in the result says so where it is not in it.
 */
export type ResultPlace = "inside" | "behind" | "nowhere";

/**
 * Separates images and files from the results of tools, message by message. OpenAI's chat completions
 * take text alone there, and all results must follow their calls directly.
 */
export class ResultMedia {
  readonly #placeOf: (part: JsonObject) => ResultPlace;
  #moved: JsonObject[] = [];
  #count = 0;

  constructor(placeOf: (part: JsonObject) => ResultPlace) {
    this.#placeOf = placeOf;
  }

  /** Returns a result with a note in place of each part that is not inside. */
  keep(message: JsonObject): JsonObject {
    const { content } = message;
    if (!hasMedia(message) || !Array.isArray(content)) return message;
    return { ...message, content: content.map((part) => this.#partOf(part as JsonObject)) };
  }

  /** Returns the message that follows the results kept before; undefined where nothing was moved. */
  end(): JsonObject | undefined {
    if (this.#moved.length === 0) return undefined;
    const content = this.#moved;
    this.#moved = [];
    this.#count = 0;
    return { role: "user", content };
  }

  #partOf(part: JsonObject): JsonObject {
    if (!isMedia(part)) return part;
    const { cache_control: mark, ...sent } = part;
    const place = this.#placeOf(part);
    if (place === "inside") return part;
    const marked = isJsonObject(mark) ? { cache_control: mark } : {};
    if (place === "nowhere") return { type: "text", text: leftOut(part), ...marked };
    this.#count += 1;
    const label = `${nameOf(part)} ${this.#count} of the results of tools`;
    this.#moved.push({ type: "text", text: `[${label}]` }, sent);
    return { type: "text", text: `[${label}: see the message after the results]`, ...marked };
  }
}

/** Returns messages whose images and files of results are in messages of the user behind them. */
export function withMediaBehind(messages: readonly JsonObject[]): JsonObject[] {
  const media = new ResultMedia(() => "behind");
  const placed: JsonObject[] = [];
  for (const message of messages) {
    const moved = message.role === "tool" ? undefined : media.end();
    if (moved !== undefined) placed.push(moved);
    placed.push(message.role === "tool" ? media.keep(message) : message);
  }
  const moved = media.end();
  return moved === undefined ? placed : [...placed, moved];
}

/** Returns messages with a note in place of what a model does not take in the results of tools. */
export function withoutResultMedia(
  messages: readonly JsonObject[],
  takes: (part: JsonObject) => boolean,
): JsonObject[] {
  const media = new ResultMedia((part) => (takes(part) ? "inside" : "nowhere"));
  return messages.map((message) => (message.role === "tool" ? media.keep(message) : message));
}

/** Whether a message is the result of a tool with more than text. */
export function hasMedia({ role, content }: JsonObject): boolean {
  return role === "tool" && Array.isArray(content) && content.some(isMedia);
}

function isMedia(part: unknown): boolean {
  return isJsonObject(part) && part.type !== "text";
}

/** Returns the text in place of an image or a file that the model does not take. */
export function leftOut(part: JsonObject): string {
  return leftOutNote(nameOf(part));
}

/** Returns the text in place of a thing of this name that the model does not take. */
export function leftOutNote(name: unknown): string {
  return `[${name} left out: this model does not take it]`;
}

function nameOf({ type }: JsonObject): string {
  return type === "image_url" ? "image" : "file";
}
