import { eventsOf } from "./request.ts";

interface Said {
  content?: string | null;
  reasoning_content?: string | null;
}

interface Choice {
  message?: Said;
  delta?: Said;
  finish_reason?: string | null;
}

/** Returns the choices of a completion, or of all chunks of a stream. */
export function choicesIn(text: string): Choice[] {
  const events = text.startsWith("data:") ? eventsOf(text) : [JSON.parse(text) as unknown];
  return events.flatMap((event) => (event as { choices?: Choice[] }).choices ?? []);
}

/** Returns the text of a completion, or of a stream. */
export function contentOf(text: string): string {
  return saidIn(text)
    .map(({ content }) => content ?? "")
    .join("");
}

/** Returns the thinking of a completion, or of a stream. */
export function reasoningOf(text: string): string {
  return saidIn(text)
    .map(({ reasoning_content }) => reasoning_content ?? "")
    .join("");
}

function saidIn(text: string): Said[] {
  return choicesIn(text).map(({ message, delta }) => message ?? delta ?? {});
}
