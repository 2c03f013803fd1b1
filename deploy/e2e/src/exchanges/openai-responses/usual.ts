import { openaiDialect } from "../openai/usual.ts";
import { typedSse } from "../sse.ts";
import { partsOf, type UsualAnswer, usualExchanges } from "../usual-exchanges.ts";

const head = { id: "resp_a", object: "response", created_at: 1, model: "u", error: null };

/** https://platform.openai.com/docs/api-reference/responses */
export const openaiResponsesUsual = usualExchanges({
  whole: (answer) => ({ body: responseOf(answer) }),
  streamed: (answer) => ({ body: typedSse(...numbered(eventsOf(answer))) }),
  reasons: true,
  reportsReasoning: true,
  caches: true,
  filters: true,
  refusals: openaiDialect.refusals,
  native: { responses: { status: 400, error: "invalid_param" } },
});

interface ResponseEvent {
  type: string;
  [member: string]: unknown;
}

function numbered(events: readonly ResponseEvent[]): ResponseEvent[] {
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

function responseOf(answer: UsualAnswer): object {
  const { finish, counts } = answer;
  const { prompt, cached, output, reasoning } = counts;
  const isCut = finish === "length" || finish === "content_filter";
  const reason = finish === "length" ? "max_output_tokens" : finish;
  return {
    ...head,
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason } : null,
    output: itemsOf(answer),
    usage: {
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: prompt + output,
    },
  };
}

type Item = { id: string; type: string } & Record<string, unknown>;

function itemsOf({ reasoning, text, calls }: UsualAnswer): Item[] {
  const summary = [{ type: "summary_text", text: reasoning.join("") }];
  const part = { type: "output_text", annotations: [], logprobs: [], text: text.join("") };
  const status = "completed";
  return [
    ...(reasoning.length === 0 ? [] : [{ id: "rs_a", type: "reasoning", summary }]),
    ...(text.length === 0
      ? []
      : [{ id: "msg_a", type: "message", status, role: "assistant", content: [part] }]),
    ...calls.map((one, index) => ({
      id: `fc_${index}`,
      type: "function_call",
      status,
      call_id: `call_${index}`,
      name: "read_file",
      arguments: one,
    })),
  ];
}

function eventsOf(answer: UsualAnswer): ResponseEvent[] {
  const response = { ...head, status: "in_progress", output: [], usage: null };
  const last = responseOf(answer) as { status: string };
  return [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    ...itemsOf(answer).flatMap((item, index) => itemEvents(item, index, answer)),
    { type: `response.${last.status}`, response: last },
  ];
}

function itemEvents(item: Item, output_index: number, answer: UsualAnswer): ResponseEvent[] {
  const place = { item_id: item.id, output_index };
  const begun = { ...item, status: "in_progress", content: [], arguments: "", summary: [] };
  return [
    { type: "response.output_item.added", output_index, item: begun },
    ...partEvents(item, place, answer),
    { type: "response.output_item.done", output_index, item },
  ];
}

function partEvents(item: Item, place: object, { reasoning, text }: UsualAnswer): ResponseEvent[] {
  if (item.type === "reasoning") {
    const at = { ...place, summary_index: 0 };
    return reasoning.map((delta) => {
      return { type: "response.reasoning_summary_text.delta", ...at, delta };
    });
  }
  if (item.type === "function_call") {
    return partsOf(String(item.arguments)).map((delta) => {
      return { type: "response.function_call_arguments.delta", ...place, delta };
    });
  }
  const at = { ...place, content_index: 0, logprobs: [], obfuscation: "a1" };
  return text.map((delta) => ({ type: "response.output_text.delta", ...at, delta }));
}
