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
import { openStage } from "./stage.ts";
import { median } from "./statistics.ts";
import { startAll } from "./tollgate.ts";

/**
 * `npm run bench:conversation`: what the next turn of a large conversation costs a replica that
 * never served it, and the one after that, beside a turn of a new conversation; and what another
 * such conversation costs it when the code for the first is compiled. Medians of one replica after
 * another, each with other turns behind it; CPU in milliseconds.
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
/** Until V8 has compiled what every turn needs. */
const warmUpTurns = 800;
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
const owner = await startAll(stage, { database });
const conversation = await storeConversation();
const another = await storeConversation();
await owner.stop();
const found = {
  new: [] as Figures[],
  first: [] as Figures[],
  next: [] as Figures[],
  another: [] as Figures[],
};
for (let replica = 0; replica < Number(values.replicas); replica += 1) await measureReplica();
process.stdout.write(report());

async function measureReplica(): Promise<void> {
  const replica = await startAll(stage, { database });
  const pool = openPool(replica.url, 1);
  for (let turn = 0; turn < warmUpTurns; turn += 1) await say(pool, randomUUID());
  const turnOf = (id: string) => measure(replica.pids, () => say(pool, id));
  found.new.push(await turnOf(randomUUID()));
  found.first.push(await turnOf(conversation));
  found.next.push(await turnOf(conversation));
  found.another.push(await turnOf(another));
  await pool.close();
  await replica.stop();
}

async function say(pool: Pool, sessionId: string): Promise<void> {
  // However much it reads, the context is told to be short, or the model would refuse it.
  const metadata = { simulate: "usage=10,1" };
  const messages = [{ role: "user", content: "And then?" }];
  const body = JSON.stringify({ model: "bench", session_id: sessionId, metadata, messages });
  await post({ pool, headers: owner.headers, body }, () => {});
}

async function measure(pids: readonly number[], work: () => Promise<void>): Promise<Figures> {
  const before = readClocks(pids);
  const startedAt = performance.now();
  await work();
  const answeredMs = performance.now() - startedAt;
  await sleep(afterworkMs);
  const after = readClocks(pids);
  return {
    gatewayMs: after.gatewayMs - before.gatewayMs,
    mainThreadMs: after.mainThreadMs - before.mainThreadMs,
    postgresMs: after.postgresMs - before.postgresMs,
    answeredMs,
  };
}

function readClocks(pids: readonly number[]) {
  return {
    gatewayMs: cpuMs(pids),
    mainThreadMs: pids.reduce((sum, pid) => sum + mainThreadCpuMs(pid), 0),
    postgresMs: cpuMs([stage.postgres.pid]),
  };
}

/** Stores a large conversation, and answers its id. */
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
    // So that neither housekeeping nor writing back what was stored falls into the measurement.
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
    row(`the first that a replica sees of ${size}`, found.first),
    row("the next one after it", found.next),
    row("the first that it sees of another", found.another),
    "",
  ].join("\n");
}

function row(name: string, figures: readonly Figures[]): string {
  const of = (figure: keyof Figures) => median(figures.map((one) => one[figure])).toFixed(1);
  const cells = [of("gatewayMs"), of("mainThreadMs"), of("postgresMs"), of("answeredMs")];
  return `| ${name} | ${cells.join(" | ")} |`;
}
