import type { Span } from "@opentelemetry/api";
import { jsonObjectOf } from "@tollgate/core/json";
import type { CollectedContent } from "../collected-content.ts";
import {
  inputMessages,
  outputMessages,
  systemInstructions,
  type TracedMessage,
  textPart,
} from "./messages.ts";
import { wholeOfStream } from "./whole-response.ts";

/**
 * The most characters that an attribute has. Some 2,000 spans may wait for the collector at a time, with three
 * of these attributes each.
 */
export const maxAttributeLength = 16_384;

/**
 * Records the prompt and the response of a request on its span, by the names and in the form of OpenTelemetry's
 * conventions for generative AI. Messages that exceed the bound are left out, the oldest first, and
 * `tollgate.content.is_cut` is true.
 */
export function recordContent(span: Span, content: CollectedContent): void {
  const request = content.request.text.toString();
  const asked = jsonObjectOf(request);
  const whole = [{ role: "user", parts: [textPart(request)] }];
  const input = attributeOf(asked === undefined ? whole : inputMessages(asked));
  const system = attributeOf(asked === undefined ? [] : systemInstructions(asked));
  const output = attributeOf(responseMessages(content.response().text.toString()));
  span.setAttributes({
    "gen_ai.system_instructions": system.text,
    "gen_ai.input.messages": input.text,
    "gen_ai.output.messages": output.text,
    "tollgate.content.is_cut": input.isCut || system.isCut || output.isCut,
  });
}

function responseMessages(response: string): TracedMessage[] {
  const whole = jsonObjectOf(response) ?? wholeOfStream(response);
  return outputMessages(whole) ?? [];
}

/** Returns the last items that fit into an attribute, as JSON; undefined where there are none. */
function attributeOf(items: readonly object[]): { text: string | undefined; isCut: boolean } {
  const texts: string[] = [];
  let length = 2;
  for (const item of items.toReversed()) {
    const text = JSON.stringify(item);
    length += text.length + 1;
    if (length > maxAttributeLength) break;
    texts.unshift(text);
  }
  const isCut = texts.length < items.length;
  return { text: texts.length === 0 ? undefined : `[${texts.join(",")}]`, isCut };
}
