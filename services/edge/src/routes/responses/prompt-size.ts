import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { addText } from "@tollgate/core/text-size";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";
import {
  addAudio,
  addUrl,
  newMeasure,
  type PromptMeasure,
  promptSizeOf,
} from "../../billable/prompt-measure.ts";

/**
 * Measures what the model reads of a Responses request: the text of the instructions and the input,
 * and the JSON of the tools and the format. An image counts as a part, a file by its pages, and
 * audio by its seconds.
 */
export function measureResponses(body: JsonObject): PromptSize {
  const size = newMeasure();
  const items = Array.isArray(body.input) ? body.input : [];
  for (const one of [body.instructions, body.input]) {
    if (typeof one === "string") addText(one, size);
  }
  for (const [index, item] of items.entries()) {
    if (isJsonObject(item)) addItem(item, `input[${index}]`, size);
  }
  addMaskUrls(body.tools, size);
  for (const member of [body.tools, body.tool_choice, body.text]) {
    if (member !== undefined && member !== null) addText(JSON.stringify(member), size);
  }
  return promptSizeOf(size, Math.max(items.length, 1));
}

function addMaskUrls(tools: unknown, size: PromptMeasure): void {
  for (const [index, tool] of objectsIn(tools).entries()) {
    const { input_image_mask: mask } = tool;
    const path = `tools[${index}].input_image_mask.image_url`;
    if (isJsonObject(mask)) addUrl(mask.image_url, path, size);
  }
}

/** The members that identify an item, and are not part of its text. */
const labels: ReadonlySet<string> = new Set(["type", "role", "id", "status", "call_id"]);

function addItem(item: JsonObject, path: string, size: PromptMeasure): void {
  const { firstImageParam, needs } = size;
  const needed = needs.length;
  for (const [name, value] of Object.entries(item)) {
    if (labels.has(name)) continue;
    addValue(value, `${path}.${name}`, size);
  }
  if (!resultTypes.has(item.type)) return;
  size.firstImageParam = firstImageParam;
  needs.length = needed;
}

/** Every model takes the results of tools, with a note in place of what it does not take. */
const resultTypes: ReadonlySet<unknown> = new Set([
  "function_call_output",
  "custom_tool_call_output",
]);

function addValue(value: unknown, path: string, size: PromptMeasure): void {
  if (typeof value === "string") addText(value, size);
  else if (isJsonObject(value)) addPart(value, path, size);
  else if (Array.isArray(value)) {
    for (const [index, part] of value.entries()) addValue(part, `${path}[${index}]`, size);
  }
}

/** The types of parts that are images. */
const imageTypes: ReadonlySet<unknown> = new Set(["input_image", "computer_screenshot"]);

function addPart(part: JsonObject, path: string, size: PromptMeasure): void {
  addUrl(part.image_url, `${path}.image_url`, size);
  addUrl(part.file_url, `${path}.file_url`, size);
  if (imageTypes.has(part.type)) {
    size.imageParts += 1;
    size.firstImageParam ||= path;
  } else if (part.type === "input_file") {
    size.pages += size.pageCounter.pagesOf(part.file_data ?? undefined);
    if (typeof part.filename === "string") addText(part.filename, size);
  } else if (part.type === "input_audio") addAudio(part, path, size);
  else addText(typeof part.text === "string" ? part.text : JSON.stringify(part), size);
}
