import { createLog } from "@tollgate/core/log";
import { createDatabase } from "@tollgate/local/postgres";
import pg from "pg";
import { afterEach, beforeAll, expect, inject, test } from "vitest";
import { openPostgresNotices } from "../src/database/postgres-notices.ts";

const log = createLog("silent");
let url: string;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  url = await createDatabase(inject("postgresUrl"), "kit_notices");
});

afterEach(async () => {
  for (const notices of opened.splice(0)) await notices.close();
});

/** Opens the notices of a process, with what it received. */
function open() {
  const notices = openPostgresNotices(url, log);
  opened.push(notices);
  const received: string[] = [];
  const missed: string[] = [];
  notices.subscribe("key.changed", (text) => received.push(`key ${text}`));
  notices.subscribe("account.changed", (text) => received.push(`account ${text}`));
  notices.onMissed(() => missed.push("missed"));
  return { notices, received, missed };
}

/** Publishes until another process has received, since connections are made in the background. */
async function connect(from: ReturnType<typeof open>, to: ReturnType<typeof open>): Promise<void> {
  await expect
    .poll(() => {
      from.notices.publish("key.changed", "first");
      return to.received;
    })
    .toContain("key first");
}

test("a notice reaches the other processes of a database", async () => {
  const [one, two] = [open(), open()];
  await connect(one, two);
  one.notices.publish("account.changed", "acct_1 with spaces");
  await expect.poll(() => two.received).toContain("account acct_1 with spaces");
  expect(two.missed).toEqual([]);
});

test("a lost connection is restored, and reported, since notices may have been lost", async () => {
  const [one, two] = [open(), open()];
  await connect(one, two);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'tollgate-notices' AND datname = current_database()`,
  );
  await client.end();
  await expect.poll(() => [one.missed, two.missed]).toEqual([["missed"], ["missed"]]);
  two.received.length = 0;
  await connect(one, two);
});

test("what is no notice is ignored", async () => {
  const one = open();
  await connect(one, one);
  one.received.length = 0;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const payload of ["", "key.changed", "other 1", "account.changed last"]) {
    await client.query("SELECT pg_notify('tollgate', $1)", [payload]);
  }
  await client.end();
  await expect.poll(() => one.received).toContain("account last");
  expect(one.received.filter((text) => text !== "key first")).toEqual(["account last"]);
});

test("notices without a database are lost, and closing them ends the attempts", async () => {
  const notices = openPostgresNotices("postgresql://127.0.0.1:1/none", log);
  notices.publish("key.changed", "lost");
  await notices.close();
});
