import type { Commands } from "../commands.ts";
import { exampleOf } from "../json-schema/example-value.ts";
import { type ChatRequest, countParts, textOf } from "./request.ts";
import { CHARACTERS_PER_TOKEN, firstTokens } from "./tokens.ts";

/** Longer texts are not echoed in full, so that a huge prompt does not cause a huge response. */
const ECHO_LIMIT_CHARACTERS = 4_000;

/** Each word with the space before it is one token of o200k_base, too: four characters are exactly one. */
const FILLER = " the cat and the dog ran out and had fun all day but the sun was hot";

const UNICODE_FILLER = "Grüße aus 東京 👋🏽 naïve café — Привет 🌍 नमस्ते 👩‍👩‍👧 und weiter. ";

/**
 * Returns the text of a choice: filler of an exact length when `tokens` or `chunks` set one; JSON
 * when `response_format` requests it; else a sentence that echoes the last user's text or the tool's
 * result. Sentences of choices after the first end with their number.
 */
export function inventText(request: ChatRequest, commands: Commands, index: number): string {
  const tokens = commands.tokens ?? commands.chunks;
  if (tokens !== undefined) return fill(commands.unicode ? UNICODE_FILLER : FILLER, tokens);
  const json = inventJson(request);
  if (json !== undefined) return JSON.stringify(json);
  const text = reply(request) + (commands.unicode ? ` ${UNICODE_FILLER.trim()}` : "");
  return index === 0 ? text : `${text} (choice ${index + 1})`;
}

/** Returns a text of exactly so many tokens. */
export function fillerOf(tokens: number): string {
  return fill(FILLER, tokens);
}

function fill(filler: string, tokens: number): string {
  const rounds = Math.ceil((tokens * CHARACTERS_PER_TOKEN) / filler.length);
  return firstTokens(filler.repeat(rounds), tokens);
}

/** Returns an example of the requested schema, or an object with the reply; undefined for text. */
function inventJson(request: ChatRequest): unknown {
  const { type, json_schema: format } = request.response_format ?? {};
  if (type === "json_schema") return exampleOf(format?.schema ?? { type: "object" });
  return type === "json_object" ? { reply: reply(request) } : undefined;
}

function reply({ messages }: ChatRequest): string {
  const last = messages.at(-1);
  if (last?.role === "tool") return `The tool returned: ${echo(textOf(last))}`;
  const read = [
    sentenceOf("see", countParts(messages, "image"), "image"),
    sentenceOf("read", countParts(messages, "file"), "file"),
    sentenceOf("hear", countParts(messages, "audio"), "recording"),
  ];
  const user = messages.findLast((message) => message.role === "user");
  return `${read.join("")}You said: ${echo(user ? textOf(user) : "")}`;
}

function sentenceOf(verb: string, count: number, what: string): string {
  return count === 0 ? "" : `I ${verb} ${count} ${count === 1 ? what : `${what}s`}. `;
}

function echo(text: string): string {
  if (text === "") return "nothing";
  if (text.length <= ECHO_LIMIT_CHARACTERS) return text;
  return `${firstTokens(text, ECHO_LIMIT_CHARACTERS / CHARACTERS_PER_TOKEN)} and so on`;
}
