import { pause } from "../call.ts";
import { errorBody } from "../error-answer.ts";
import { commandedError } from "../faults.ts";
import { type EventWriter, openEvents } from "../sse.ts";
import { type Chunk, chunksOf } from "./chunks.ts";
import type { Usage } from "./generation.ts";
import { headOf, type Order } from "./order.ts";
import { createTally, type Tally } from "./tally.ts";
import { reportUsage } from "./usage-report.ts";

/** Answers with a stream of chunks, or with the broken one that the commands ask for. */
export async function sendStream(order: Order): Promise<void> {
  const { call, entry, request, commands, generation } = order;
  const events = openEvents(call, commands);
  const tally = createTally();
  const write = writerOf(order, events);

  for (const chunk of chunksOf(generation, commands.chunks)) {
    if (await breakOff(order, events, chunk)) return;
    if (commands.gap_ms && chunk.kind === "content") await pause(call, commands.gap_ms);
    tally.add(chunk.index, chunk.characters);
    await write(choicesOf(chunk), usageOnChunk(order, chunk, tally));
    entry.charactersSent = tally.characters;
    entry.completionTokens = tally.tokens;
  }
  if (request.stream_options?.include_usage && !commands.no_usage) {
    if (await breakOff(order, events)) return;
    await write([], reportUsage(generation.usage, commands));
  }
  if (await breakOff(order, events)) return;
  if (!commands.no_done) await events.data("[DONE]");
  entry.completionTokens = generation.usage.completionTokens;
  entry.outcome = commands.garbage ? "garbage" : "completed";
  events.end();
}

/** Writes chunks and counts them; the garbage, where it is asked for, follows the first. */
function writerOf(order: Order, events: EventWriter) {
  const { call, entry, commands, generation } = order;
  const head = headOf(order, "chat.completion.chunk");
  return async (choices: readonly object[], usage: object): Promise<void> => {
    await events.data(JSON.stringify({ ...head, choices, ...usage }));
    entry.chunksSent += 1;
    if (commands.garbage && entry.chunksSent === 1) {
      await events.data(`{"id":"${generation.id}","cho`);
    }
    call.left.throwIfAborted();
  };
}

function choicesOf({ index, delta, finishReason }: Chunk): readonly object[] {
  return [{ index, delta, logprobs: null, finish_reason: finishReason }];
}

/** Null usage on the chunks before the usage chunk, as is the custom, or the usage so far. */
function usageOnChunk({ request, commands, generation }: Order, chunk: Chunk, tally: Tally) {
  if (commands.no_usage) return {};
  if (!commands.usage_each) return request.stream_options?.include_usage ? { usage: null } : {};
  const { promptTokens, completionTokens } = generation.usage;
  const soFar: Usage =
    chunk.kind === "finish"
      ? generation.usage
      : { promptTokens, completionTokens: Math.min(tally.tokens, completionTokens) };
  return reportUsage(soFar, commands);
}

/**
 * Breaks the stream off where a command says so, ahead of the next chunk. True when it did. A
 * stream that is to end early has no finish, however late its end.
 */
async function breakOff(order: Order, events: EventWriter, next?: Chunk): Promise<boolean> {
  const { entry, commands } = order;
  const sent = entry.chunksSent;
  if (commands.cut_after === sent) {
    entry.outcome = "cut";
    events.cut();
    return true;
  }
  if (commands.error_event === sent) {
    await events.data(JSON.stringify(errorBody(commandedError(500, commands))));
    entry.outcome = "error_event";
    events.end();
    return true;
  }
  const atFinish = commands.end_after !== undefined && next?.kind === "finish";
  if (commands.end_after !== sent && !atFinish) return false;
  entry.outcome = "ended_early";
  events.end();
  return true;
}
