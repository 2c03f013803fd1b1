import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { ConversationKey } from "@tollgate/chat/conversations/conversation-key";
import { createConversationStore } from "@tollgate/chat/conversations/store";
import { chatSchema } from "@tollgate/chat/schema";
import { createLog } from "@tollgate/core/log";
import { openDatabase } from "@tollgate/runtime/database/pool";
import type { Pool } from "undici";
import { cpuMs, mainThreadCpuMs } from "./cpu.ts";
import { openPool, post } from "./post.ts";
import { median } from "./statistics.ts";
import { startTestbed } from "./testbed.ts";
import { startAll } from "./tollgate.ts";

/**
 * `npm run bench:conversation`: measures a turn of a large conversation on a replica that has not
 * served it before, and the turn after it, compared with a turn of a new conversation. Then it
 * measures the first turn of another large conversation, for which V8 has already compiled the
 * code. Prints medians over several replicas; CPU in milliseconds.
 */
const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "2000" },
    megabytes: { type: "string", default: "10" },
    replicas: { type: "string", default: "7" },
  },
});
const turns = Number(values.turns);
const messageBytes = Math.ceil((Number(values.megabytes) * 1_000_000) / turns / 2);
const database = "bench_conversation";
/** Until V8 has compiled the code that every turn needs. */
const warmUpTurns = 800;
/** Work after the response counts, too: this is the time it gets. */
const settleMs = 150;
const lockSql = "INSERT INTO session_lock VALUES ($1, $2, 'bench', now() + interval '1 hour')";
const words =
  "the answer is naïve about performance but été says otherwise in 17 of 3.5 cases".split(" ");

interface Figures {
  gatewayMs: number;
  mainThreadMs: number;
  postgresMs: number;
  responseMs: number;
}

await using testbed = await startTestbed();
const owner = await startAll(testbed, { database });
const conversation = await storeConversation();
const another = await storeConversation();
await owner.stop();
const measured = {
  new: [] as Figures[],
  first: [] as Figures[],
  next: [] as Figures[],
  another: [] as Figures[],
};
for (let replica = 0; replica < Number(values.replicas); replica += 1) await measureReplica();
process.stdout.write(report());

async function measureReplica(): Promise<void> {
  const replica = await startAll(testbed, { database });
  const pool = openPool(replica.url, 1);
  for (let turn = 0; turn < warmUpTurns; turn += 1) await sendTurn(pool, randomUUID());
  const turnOf = (id: string) => measure(replica.pids, () => sendTurn(pool, id));
  measured.new.push(await turnOf(randomUUID()));
  measured.first.push(await turnOf(conversation));
  measured.next.push(await turnOf(conversation));
  measured.another.push(await turnOf(another));
  await pool.close();
  await replica.stop();
}

async function sendTurn(pool: Pool, sessionId: string): Promise<void> {
  // The provider reports a short context, because the model would refuse the real one.
  const metadata = { simulate: "usage=10,1" };
  const messages = [{ role: "user", content: "And then?" }];
  const body = JSON.stringify({ model: "bench", session_id: sessionId, metadata, messages });
  await post({ pool, headers: owner.headers, body }, () => {});
}

async function measure(pids: readonly number[], work: () => Promise<void>): Promise<Figures> {
  const before = readClocks(pids);
  const startedAt = performance.now();
  await work();
  const responseMs = performance.now() - startedAt;
  await sleep(settleMs);
  const after = readClocks(pids);
  return {
    gatewayMs: after.gatewayMs - before.gatewayMs,
    mainThreadMs: after.mainThreadMs - before.mainThreadMs,
    postgresMs: after.postgresMs - before.postgresMs,
    responseMs,
  };
}

function readClocks(pids: readonly number[]) {
  return {
    gatewayMs: cpuMs(pids),
    mainThreadMs: pids.reduce((sum, pid) => sum + mainThreadCpuMs(pid), 0),
    postgresMs: cpuMs([testbed.postgres.pid]),
  };
}

/** Stores a large conversation and resolves with its id. */
async function storeConversation(): Promise<string> {
  const key = { keyId: owner.keyId, id: randomUUID() };
  const pool = await openDatabase({
    url: owner.databaseUrl,
    schema: chatSchema,
    maxConnections: 1,
    log: createLog("silent"),
  });
  try {
    const store = createConversationStore(pool);
    await pool.query(lockSql, [key.keyId, key.id]);
    for (let turn = 0; turn < turns; turn += 1) await store.append(key, "bench", newTurn(key));
    await pool.query("DELETE FROM session_lock WHERE conversation_id = $1", [key.id]);
    // Keeps autovacuum and checkpoints out of the measurement.
    await pool.query("VACUUM ANALYZE");
    await pool.query("CHECKPOINT");
    return key.id;
  } finally {
    await pool.end();
  }
}

function newTurn({ id }: ConversationKey) {
  return {
    accountId: owner.accountId,
    model: "bench",
    requestId: `req_${id}`,
    messages: JSON.stringify([{ role: "user", content: someText() }]),
    response: JSON.stringify({ role: "assistant", content: someText() }),
    usage: '{"total_tokens":20}',
    sizes: { contextTokens: 20n, textBytes: 0n, textCharacters: 0n, messages: 2, imageParts: 0 },
  };
}

/** Returns random words, which Postgres compresses about as well as a conversation. */
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
    "| turn | gateway CPU ms | of its main thread | Postgres CPU ms | response time ms |",
    "| --- | --: | --: | --: | --: |",
    row("first of a new conversation", measured.new),
    row(`first of a conversation of ${size} on a replica`, measured.first),
    row("next of the same conversation", measured.next),
    row("first of another large conversation", measured.another),
    "",
  ].join("\n");
}

function row(name: string, figures: readonly Figures[]): string {
  const of = (figure: keyof Figures) => median(figures.map((one) => one[figure])).toFixed(1);
  const cells = [of("gatewayMs"), of("mainThreadMs"), of("postgresMs"), of("responseMs")];
  return `| ${name} | ${cells.join(" | ")} |`;
}
