import { pause, type SimulatorCall, type SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import { generate } from "../chat/generation.ts";
import {
  type CohereChatRequest,
  chatFromCohere,
  chatProblem,
  cohereChatRequest,
} from "../cohere/chat-request.ts";
import { type Commands, NO_COMMANDS } from "../commands.ts";
import { sendInvalidRequest, sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { readJsonBody } from "../json-body.ts";
import { piecesOf } from "../pieces.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { sendJson } from "../send-json.ts";
import { openEvents } from "../sse.ts";

/** Cohere's chat, version 2. Its commands are behind the model id. */
export const cohereChatRoute: SimulatorRoute = {
  method: "POST",
  path: "/cohere/v2/chat",
  async handle(call) {
    const { value, recordable } = await readJsonBody(call.request);
    const parsed = cohereChatRequest.safeParse(value);
    const { model, stream } = parsed.data ?? { model: "" };
    const recorded = recordCall(call, { model, stream }, recordable);
    if (!call.request.headers.authorization?.startsWith("Bearer ")) {
      sendProviderError(call, { status: 401, message: "no api key supplied" }, recorded);
      return;
    }
    if (parsed.data === undefined) {
      sendInvalidRequest(call, parsed.error, recorded);
      return;
    }
    const request = parsed.data;
    const message = chatProblem(request);
    if (message !== undefined) {
      sendProviderError(call, { status: 400, message }, recorded);
      return;
    }
    await runCommanded(call, recorded, { model }, (commands) =>
      respond(call, recorded, commands, request),
    );
  },
};

const thought = "The user wrote something. I will respond to it.";
const reasons = { stop: "COMPLETE", length: "MAX_TOKENS", tool_calls: "TOOL_CALL" } as const;

interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** A generated message, before it is sent as JSON or as a stream. */
interface Generated {
  id: string;
  content: ({ type: "text"; text: string } | { type: "thinking"; thinking: string })[];
  calls: ToolCall[];
  finish_reason: string;
  usage: object;
}

async function respond(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  request: CohereChatRequest,
): Promise<void> {
  if (commands !== NO_COMMANDS && (await injectFaults(call, recorded, commands))) return;
  const { choices, usage } = generate(chatFromCohere(request), commands, recorded.seq);
  const { content: text = "", toolCall, finishReason = "stop" } = choices[0] ?? {};
  const generated: Generated = {
    id: `chat-${recorded.seq}`,
    content: [
      ...(request.thinking?.type === "enabled"
        ? [{ type: "thinking" as const, thinking: thought }]
        : []),
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ],
    calls: Array.from(
      { length: toolCall === undefined ? 0 : (commands.calls ?? 1) },
      (_, index) => ({
        id: `read_file_${recorded.seq}_${index}`,
        type: "function" as const,
        function: { name: toolCall?.name ?? "", arguments: toolCall?.arguments ?? "" },
      }),
    ),
    finish_reason: commands.malformed_call ? "ERROR" : reasons[finishReason],
    usage: commands.usage_block ?? usageOf(usage, commands),
  };
  recorded.status = 200;
  recorded.promptTokens = usage.promptTokens;
  recorded.completionTokens = usage.completionTokens;
  if (request.stream) {
    await sendStream(call, recorded, commands, generated);
    return;
  }
  const { id, content, calls, finish_reason, usage: reported } = generated;
  const tool_calls = calls.length === 0 ? {} : { tool_calls: calls };
  const message = { role: "assistant", content, ...tool_calls };
  const body = { id, message, finish_reason, usage: reported };
  await sendJson(call, recorded, commands, JSON.stringify(body));
}

/**
 * Returns the usage of the reference: more tokens were counted than are billed, those of the instructions
 * of Cohere and those of its cache.
 */
function usageOf(
  { promptTokens, completionTokens }: { promptTokens: number; completionTokens: number },
  { cached }: Commands,
): object {
  const billed = Math.max(0, promptTokens - (cached?.read ?? 0));
  return {
    billed_units: { input_tokens: billed, output_tokens: completionTokens },
    tokens: { input_tokens: promptTokens + 60, output_tokens: completionTokens + 2 },
    ...(cached === undefined ? {} : { cached_tokens: cached.read }),
  };
}

function* eventsOf(
  { id, content, calls, finish_reason, usage }: Generated,
  { chunks: count }: Commands,
): Generator<object> {
  yield { type: "message-start", id, delta: { message: { role: "assistant", content: [] } } };
  for (const [index, part] of content.entries()) {
    const { type } = part;
    const name = type === "text" ? "text" : "thinking";
    const said = part.type === "text" ? part.text : part.thinking;
    yield { type: "content-start", index, delta: { message: { content: { type, [name]: "" } } } };
    for (const piece of piecesOf(said, type === "text" ? count : undefined)) {
      yield { type: "content-delta", index, delta: { message: { content: { [name]: piece } } } };
    }
    yield { type: "content-end", index };
  }
  for (const [index, { id: callId, type, function: called }] of calls.entries()) {
    const start = { id: callId, type, function: { name: called.name, arguments: "" } };
    const rest = { function: { arguments: called.arguments } };
    yield { type: "tool-call-start", index, delta: { message: { tool_calls: start } } };
    yield { type: "tool-call-delta", index, delta: { message: { tool_calls: rest } } };
    yield { type: "tool-call-end", index };
  }
  yield { type: "message-end", id, delta: { finish_reason, usage } };
}

async function sendStream(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  generated: Generated,
): Promise<void> {
  const events = openEvents(call, commands);
  for (const event of eventsOf(generated, commands)) {
    if (commands.gap_ms) await pause(call, commands.gap_ms);
    if (commands.cut_after === recorded.chunksSent) {
      recorded.outcome = "cut";
      events.cut();
      return;
    }
    if (commands.end_after === recorded.chunksSent) {
      recorded.outcome = "ended_early";
      events.end();
      return;
    }
    const { type } = event as { type: string };
    await events.event(type, JSON.stringify(event));
    recorded.chunksSent += 1;
  }
  recorded.outcome = "completed";
  events.end();
}
