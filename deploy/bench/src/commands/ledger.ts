import { createLog } from "@tollgate/core/log";
import { ledgerSchema } from "@tollgate/ledger/schema";
import { createDatabase } from "@tollgate/local/postgres";
import { openDatabase } from "@tollgate/runtime/database/pool";
import { defineCommand } from "../command.ts";
import { compareCaptures } from "../ledger/captures.ts";
import { measureReads } from "../ledger/reads.ts";
import { startTestbed } from "../subjects/testbed.ts";

const say = (line: string) => void process.stdout.write(`${line}\n`);

export const ledgerCommand = defineCommand({
  name: "ledger",
  about: "the CPU of Postgres for captures, beside other checkouts; reads of a large ledger",
  takes: "FOLDER …",
  details:
    "Compares the CPU that Postgres takes to capture 1, 30 and 192 usage events in one statement, in other\n" +
    "prepared checkouts and in this one, in turns. With --reads, measures instead every read of the\n" +
    "commands and routes on a large ledger of a hundred accounts, and verifies that ledger.",
  flags: {
    rounds: { about: "each captures once in every checkout", default: "80" },
    reads: { about: "measures the reads of this checkout", default: false },
    entries: { about: "of the ledger for --reads", default: "10000000" },
  },
  async run(values, folders) {
    await using testbed = await startTestbed();
    const { url } = testbed.postgres;
    if (!values.reads) {
      await compareCaptures(url, [...folders, "."], Number(values.rounds), say);
      return;
    }
    const pool = await openDatabase({
      url: await createDatabase(url, "bench_reads"),
      schema: ledgerSchema,
      maxConnections: 10,
      log: createLog("silent"),
      statementTimeoutMs: 0,
      settings: { enable_seqscan: "off" },
    });
    try {
      await measureReads(pool, Number(values.entries), say);
    } finally {
      await pool.end();
    }
  },
});
