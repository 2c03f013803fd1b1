import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createLog } from "@tollgate/core/log";
import { type EmbeddedPostgres, startPostgres } from "@tollgate/local/postgres";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "../src/database/pool.ts";
import { openPostgresNotices } from "../src/database/postgres-notices.ts";

const log = createLog("silent");
const password = "shared";
let folders: string[] = [];
let first: EmbeddedPostgres;
let second: EmbeddedPostgres;

beforeAll(async () => {
  [first, second] = await Promise.all([start(), start()]);
});

afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
  folders = [];
});

async function start(): Promise<EmbeddedPostgres> {
  const dataFolder = await mkdtemp(join(tmpdir(), "tollgate-servers-"));
  folders.push(dataFolder);
  await writeFile(join(dataFolder, "postgres.password"), password, { mode: 0o600 });
  return startPostgres({ dataFolder, durable: false });
}

async function setReadOnly(server: EmbeddedPostgres, value: "on" | "off"): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query("SET default_transaction_read_only = off");
  await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
  await client.query("SELECT pg_reload_conf()");
  await client.end();
}

const portOf = ({ url }: EmbeddedPostgres) => new URL(url).port;

test("of several servers, the one that takes writes is used, and after it has failed the next", async () => {
  await setReadOnly(first, "on");
  const url = first.url.replace(portOf(first), `${portOf(first)},127.0.0.1:${portOf(second)}`);
  const empty = await mkdtemp(join(tmpdir(), "tollgate-none-"));
  folders.push(empty);
  const schema = { name: "kit_servers", migrations: pathToFileURL(empty) };
  const pool = await openDatabase({ url, schema, maxConnections: 2, log });
  const notices = openPostgresNotices(url, log);
  const received: string[] = [];
  notices.subscribe("key.changed", (text) => received.push(text));
  const port = async () => (await pool.query<{ port: string }>("SHOW port")).rows[0]?.port;
  const expectNotice = (text: string) =>
    vi.waitFor(
      () => {
        notices.publish("key.changed", text);
        expect(received).toContain(text);
      },
      { timeout: 15_000, interval: 100 },
    );
  expect(await port()).toBe(portOf(second));
  await expectNotice("before");

  await setReadOnly(first, "off");
  await second.stop();
  await vi.waitFor(async () => expect(await port()).toBe(portOf(first)), { timeout: 15_000 });
  await expectNotice("after");
  await notices.close();
  await pool.end();
}, 90_000);
