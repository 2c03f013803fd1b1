import { nanoUsd } from "@tollgate/e2e/nano-usd";
import type { Observation } from "./observation.ts";
import type { RequestResult } from "./send-request.ts";
import { costIn, observe, postKeyed, sendJsonRequest, type WorkloadContext } from "./workload.ts";

const chatPath = "/v1/chat/completions";

/** Models with all kinds of providers; most calls succeed. */
const chatAliases = [
  ...Array.from({ length: 12 }, () => "test-small"),
  "test-failover",
  "test-failover-dead",
  "test-failover-empty",
  "test-no-usage",
  "test-cut",
  "test-failing",
  "test-dead",
];
/** Idempotency keys are tested with providers that work. */
const keyedAliases = ["test-small", "test-failover"];
const turnsPerConversation = 3;

export async function chatWorkload(context: WorkloadContext): Promise<Observation[]> {
  const result = await sendJsonRequest(context, chatPath, chatBody(context));
  return [observe(context, "chat", result, { costNanoUsd: costIn(result) })];
}

export async function chatStream(context: WorkloadContext): Promise<Observation[]> {
  const result = await sendJsonRequest(context, chatPath, streamBody(context));
  return [observe(context, "chat stream", result, { costNanoUsd: costInStream(result) })];
}

export async function chatStreamDisconnected(context: WorkloadContext): Promise<Observation[]> {
  const disconnectAfterMs = context.random.integer(1, 900);
  const metadata = { simulate: "chunks=20&gap_ms=100" };
  const body = streamBody(context, { metadata });
  const result = await sendJsonRequest(context, chatPath, body, { disconnectAfterMs });
  const costNanoUsd = costInStream(result);
  return [observe(context, "chat stream, disconnected", result, { costNanoUsd })];
}

/** A long prompt and a long response, whose hold grows as it is delivered. */
export async function agentTurn(context: WorkloadContext): Promise<Observation[]> {
  const { random } = context;
  const file = "x".repeat(random.integer(20_000, 200_000));
  const chunks = random.integer(10, 40);
  const simulate = `tokens=${chunks * 200}&chunks=${chunks}&gap_ms=${random.integer(5, 80)}`;
  const result = await sendJsonRequest(context, chatPath, {
    model: "test-agent",
    stream: true,
    messages: [
      { role: "system", content: file },
      { role: "user", content: "Go on" },
    ],
    metadata: { simulate },
  });
  const costNanoUsd = costInStream(result);
  return [{ ...observe(context, "agent", result, { costNanoUsd }), mayGrow: true }];
}

export async function chatKeyed(context: WorkloadContext): Promise<Observation[]> {
  const body = chatBody(context, { model: context.random.pick(keyedAliases) });
  return [await postKeyed(context, "chat, keyed", chatPath, body, costIn)];
}

export async function chatStreamKeyed(context: WorkloadContext): Promise<Observation[]> {
  const body = streamBody(context, { model: context.random.pick(keyedAliases) });
  return [await postKeyed(context, "chat stream, keyed", chatPath, body, costInStream)];
}

/** Sends the turns of a conversation one after the other. */
export async function conversation(context: WorkloadContext): Promise<Observation[]> {
  const sessionId = context.uuid();
  const turns: Observation[] = [];
  for (let turn = 0; turn < turnsPerConversation; turn += 1) {
    const body = chatBody(context, { model: "test-small", session_id: sessionId });
    const result = await sendJsonRequest(context, chatPath, body);
    const more = { costNanoUsd: costIn(result), sessionId };
    turns.push(observe(context, "conversation", result, more));
  }
  return turns;
}

function chatBody({ random, isFaultFree }: WorkloadContext, more: object = {}): object {
  const tokens = random.integer(1, 60);
  const usage = `usage=${random.integer(1, 900)},${tokens}`;
  const slow = random.percent(15) ? `&delay_ms=${random.integer(50, 1_500)}` : "";
  return {
    model: isFaultFree ? "test-small" : random.pick(chatAliases),
    messages: [{ role: "user", content: "x".repeat(random.integer(1, 400)) }],
    metadata: { simulate: `tokens=${tokens}&${usage}${slow}` },
    ...more,
  };
}

function streamBody(context: WorkloadContext, more: object = {}): object {
  const { random } = context;
  const pace = `chunks=${random.integer(2, 12)}&gap_ms=${random.integer(0, 200)}`;
  return chatBody(context, { stream: true, metadata: { simulate: pace }, ...more });
}

/** Returns the cost that the last chunk of a complete stream reports. */
function costInStream({ outcome, text }: RequestResult): bigint | undefined {
  if (outcome !== "complete") return undefined;
  const costs = [...text.matchAll(/"cost":(\d+\.\d+)/g)];
  const last = costs.at(-1)?.[1];
  return last === undefined ? undefined : nanoUsd(Number(last));
}
