import { pause } from "../call.ts";
import { errorBody } from "../error-response.ts";
import { commandedError } from "../faults.ts";
import { type EventWriter, openEvents } from "../sse.ts";
import { stallIfCommanded } from "../stall.ts";
import { type ChatContext, commonFields } from "./chat-context.ts";
import { type SimulatedChunk, simulatedChunks } from "./chunks.ts";
import type { Usage } from "./generation.ts";
import { createStreamProgress, type StreamProgress } from "./stream-progress.ts";
import { reportUsage } from "./usage-report.ts";

/** Sends a stream of chunks, or breaks it as the commands specify. */
export async function sendStream(context: ChatContext): Promise<void> {
  const { call, recorded, request, commands, generation } = context;
  const events = openEvents(call, commands);
  const progress = createStreamProgress();
  const write = writerOf(context, events);
  const { reasoningTokens = 0 } = generation.usage;

  for (const chunk of simulatedChunks(generation, commands)) {
    if (await interruptIfCommanded(context, events, chunk)) return;
    if (commands.gap_ms && chunk.kind === "content") await pause(call, commands.gap_ms);
    progress.add(chunk.index, chunk.characters);
    await write(choicesOf(chunk), usageOnChunk(context, chunk, progress));
    recorded.charactersSent = progress.characters;
    recorded.completionTokens = reasoningTokens + progress.tokens;
  }
  if (request.stream_options?.include_usage && !commands.no_usage) {
    if (await interruptIfCommanded(context, events)) return;
    await write([], reportUsage(generation.usage, commands));
  }
  if (await interruptIfCommanded(context, events)) return;
  if (!commands.no_done) await events.data("[DONE]");
  recorded.completionTokens = generation.usage.completionTokens;
  recorded.outcome = commands.garbage ? "garbage" : "completed";
  events.end();
}

/**
 * Returns a function that writes a chunk and counts it. Garbage, if commanded, follows the first.
 */
function writerOf(context: ChatContext, events: EventWriter) {
  const { call, recorded, commands, generation } = context;
  const head = commonFields(context, "chat.completion.chunk");
  return async (choices: readonly object[], usage: object): Promise<void> => {
    await events.data(JSON.stringify({ ...head, choices, ...usage }));
    recorded.chunksSent += 1;
    if (commands.garbage && recorded.chunksSent === 1) {
      await events.data(`{"id":"${generation.id}","cho`);
    }
    call.disconnected.throwIfAborted();
  };
}

function choicesOf({ index, delta, finishReason }: SimulatedChunk): readonly object[] {
  return [{ index, delta, logprobs: null, finish_reason: finishReason }];
}

/** Returns `usage: null`, as OpenAI sends it before the usage chunk, or the usage so far. */
function usageOnChunk(
  { request, commands, generation }: ChatContext,
  chunk: SimulatedChunk,
  progress: StreamProgress,
) {
  if (commands.no_usage) return {};
  if (!commands.usage_each && !request.stream_options?.continuous_usage_stats)
    return request.stream_options?.include_usage ? { usage: null } : {};
  const { promptTokens, completionTokens, reasoningTokens = 0 } = generation.usage;
  const soFar: Usage =
    chunk.kind === "finish"
      ? generation.usage
      : {
          promptTokens,
          completionTokens: Math.min(reasoningTokens + progress.tokens, completionTokens),
          reasoningTokens,
        };
  return reportUsage(soFar, commands);
}

/**
 * Ends the stream before the next chunk when a command says so, and returns whether it did. With
 * `end_after`, the stream never sends a finish reason, even when n exceeds its chunks.
 */
async function interruptIfCommanded(
  context: ChatContext,
  events: EventWriter,
  next?: SimulatedChunk,
): Promise<boolean> {
  const { call, recorded, commands } = context;
  const sent = recorded.chunksSent;
  if (commands.cut_after === sent) {
    recorded.outcome = "cut";
    events.cut();
    return true;
  }
  if (await stallIfCommanded(call, recorded, commands)) return true;
  if (commands.error_event === sent) {
    await events.data(JSON.stringify(errorBody(commandedError(500, commands))));
    recorded.outcome = "error_event";
    events.end();
    return true;
  }
  const atFinish = commands.end_after !== undefined && next?.kind === "finish";
  if (commands.end_after !== sent && !atFinish) return false;
  recorded.outcome = "ended_early";
  events.end();
  return true;
}
