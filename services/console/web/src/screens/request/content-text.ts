/** Returns the JSON of a request or a response with line breaks, and another text as it is. */
export function readableJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * Returns the text that a stream of server-sent events has delivered, of each wire; undefined for what is no
 * stream. Reasoning and tool calls are in the events alone.
 */
export function textOfStream(text: string): string | undefined {
  if (!/^(data|event):/.test(text)) return undefined;
  const data = text
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length));
  return data.map(deltaOf).join("");
}

interface StreamEvent {
  type?: unknown;
  /** Of chat completions. */
  choices?: readonly { delta?: { content?: unknown } }[];
  /** Of Messages an object, of Responses the text. */
  delta?: unknown;
}

function deltaOf(data: string): string {
  const event = parse(data);
  if (event === undefined) return "";
  const { type, delta, choices } = event;
  const deltas = [
    choices?.[0]?.delta?.content,
    type === "content_block_delta" && (delta as { text?: unknown }).text,
    type === "response.output_text.delta" && delta,
  ];
  return deltas.filter((one) => typeof one === "string").join("");
}

/** The last event may be cut, and `[DONE]` is no JSON. */
function parse(data: string): StreamEvent | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
