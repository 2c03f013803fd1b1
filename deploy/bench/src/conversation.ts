import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { ConversationKey } from "@tollgate/chat/conversations/conversation-key";
import { createConversationStore } from "@tollgate/chat/conversations/store";
import { chatSchema } from "@tollgate/chat/schema";
import { openDatabase } from "@tollgate/kit/database/pool";
import { createLog } from "@tollgate/kit/log";
import { cpuMs, mainThreadCpuMs } from "./cpu.ts";
import { openPool, post } from "./post.ts";
import { openStage } from "./stage.ts";
import { median } from "./statistics.ts";
import { startAll } from "./tollgate.ts";

/**
 * `npm run bench:conversation`: what a turn costs in a large conversation beside one in a new
 * conversation. This program stores the turns as another replica would, so that the gateway reads
 * each conversation from Postgres the first time, and has it at hand the second. Medians of one
 * conversation after another; CPU in milliseconds, which Linux tells to the microsecond.
 */
const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "2000" },
    megabytes: { type: "string", default: "10" },
    conversations: { type: "string", default: "7" },
  },
});
const turns = Number(values.turns);
const messageBytes = Math.ceil((Number(values.megabytes) * 1_000_000) / turns / 2);
/** Until V8 has compiled what every turn needs. */
const warmUpTurns = 1_500;
/** Between the measured ones, so that they meet a gateway in use: V8 lets an idle one's heap be small. */
const turnsBetween = 200;
/** What is still done behind an answer counts as well: it gets this long for it. */
const afterworkMs = 150;
const lockSql = "INSERT INTO session_lock VALUES ($1, $2, 'bench', now() + interval '1 hour')";
const words =
  "the answer is naïve about performance but été says otherwise in 17 of 3.5 cases".split(" ");

interface Figures {
  gatewayMs: number;
  mainThreadMs: number;
  postgresMs: number;
  answeredMs: number;
}

await using stage = await openStage();
const gateway = await startAll(stage, { database: "bench_conversation" });
const pool = openPool(gateway.url, 1);
stage.defer(() => pool.close());
await sayElsewhere(warmUpTurns);
const found: Record<"new" | "first" | "next", Figures[]> = { new: [], first: [], next: [] };
for (const id of await storeConversations(Number(values.conversations))) {
  await sayElsewhere(turnsBetween);
  found.new.push(await measure(randomUUID()));
  found.first.push(await measure(id));
  found.next.push(await measure(id));
}
process.stdout.write(report());

async function sayElsewhere(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await say(randomUUID());
}

async function say(sessionId: string): Promise<void> {
  // However much it reads, the context is told to be short, or the model would refuse it.
  const metadata = { simulate: "usage=10,1" };
  const messages = [{ role: "user", content: "And then?" }];
  const body = JSON.stringify({ model: "bench", session_id: sessionId, metadata, messages });
  await post({ pool, headers: gateway.headers, body }, () => {});
}

async function measure(sessionId: string): Promise<Figures> {
  const before = readClocks();
  const startedAt = performance.now();
  await say(sessionId);
  const answeredMs = performance.now() - startedAt;
  await sleep(afterworkMs);
  const after = readClocks();
  return {
    gatewayMs: after.gatewayMs - before.gatewayMs,
    mainThreadMs: after.mainThreadMs - before.mainThreadMs,
    postgresMs: after.postgresMs - before.postgresMs,
    answeredMs,
  };
}

function readClocks() {
  const [pid = 0] = gateway.pids;
  return {
    gatewayMs: cpuMs([pid]),
    mainThreadMs: mainThreadCpuMs(pid),
    postgresMs: cpuMs([stage.postgres.pid]),
  };
}

/** Stores so many large conversations, and answers their ids. */
async function storeConversations(count: number): Promise<string[]> {
  const database = await openDatabase({
    url: gateway.databaseUrl,
    schema: chatSchema,
    maxConnections: 4,
    log: createLog("silent"),
    settings: { statement_timeout: "0" },
  });
  try {
    const store = createConversationStore(database);
    const keys = Array.from({ length: count }, () => ({ keyId: gateway.keyId, id: randomUUID() }));
    await Promise.all(
      keys.map(async (key) => {
        await database.query(lockSql, [key.keyId, key.id]);
        for (let turn = 0; turn < turns; turn += 1) await store.append(key, "bench", newTurn(key));
        await database.query("DELETE FROM session_lock WHERE conversation_id = $1", [key.id]);
      }),
    );
    // So that neither housekeeping nor writing back what was stored falls into the measurement.
    await database.query("VACUUM ANALYZE");
    await database.query("CHECKPOINT");
    return keys.map(({ id }) => id);
  } finally {
    await database.end();
  }
}

function newTurn({ id }: ConversationKey) {
  return {
    accountId: gateway.accountId,
    model: "bench",
    requestId: `req_${id}`,
    messages: JSON.stringify([{ role: "user", content: someText() }]),
    response: JSON.stringify({ role: "assistant", content: someText() }),
    usage: '{"total_tokens":20}',
    sizes: { contextTokens: 20n, textBytes: 0n, textCharacters: 0n, messages: 2, imageParts: 0 },
  };
}

/** Words in no order, which a database compresses about as well as a conversation. */
function someText(): string {
  let text = "";
  while (text.length < messageBytes) {
    const number = Math.random();
    text += `${words[Math.floor(number * words.length)]}${number < 0.1 ? number : ""} `;
  }
  return text.slice(0, messageBytes);
}

function report(): string {
  const size = `${turns.toLocaleString("en")} turns, ${values.megabytes} MB`;
  return [
    "| a turn | gateway CPU ms | its main thread | Postgres CPU ms | ms until answered |",
    "| --- | --: | --: | --: | --: |",
    row("the first of a new conversation", found.new),
    row(`the first that the gateway sees of ${size}`, found.first),
    row("the next one after it", found.next),
    "",
  ].join("\n");
}

function row(name: string, figures: readonly Figures[]): string {
  const of = (figure: keyof Figures) => median(figures.map((one) => one[figure])).toFixed(1);
  return `| ${name} | ${of("gatewayMs")} | ${of("mainThreadMs")} | ${of("postgresMs")} | ${of("answeredMs")} |`;
}
