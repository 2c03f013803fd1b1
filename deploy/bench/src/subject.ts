import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChild } from "@tollgate/local/child";
import { startDemoProvider } from "@tollgate/local/demo-provider";
import { startFleet } from "@tollgate/local/fleet";
import { freePort } from "@tollgate/local/free-port";
import { startNatsServer } from "@tollgate/local/nats-server";
import { connectOperator } from "@tollgate/local/operator";
import { createDatabase, startPostgres } from "@tollgate/local/postgres";

/** Something that answers chat completions, and the processes whose CPU it costs. */
export interface Subject {
  name: string;
  url: string;
  key: string;
  /** Where the operator's commands are taken; empty where there are none. */
  operatorAddress: string;
  pids: readonly number[];
}

export interface Subjects {
  subjects: readonly Subject[];
  databasePid: number;
  stop(): Promise<void>;
}

const main = new URL(import.meta.resolve("@tollgate/tollgate/main"));

/** The simulator itself, the gateway in one process, and the fleet; all stay up for the whole run. */
export async function startSubjects(): Promise<Subjects> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
  // Postgres runs as another user where this runs as root, and then must be able to enter.
  await chmod(folder, 0o711);
  const provider = await startDemoProvider(process.env);
  const postgres = await startPostgres({ dataFolder: folder });
  const nats = await startNatsServer({ dataFolder: folder });
  const catalog = join(folder, "catalog.json");
  await writeFile(catalog, benchCatalog(provider.url));
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOST: "127.0.0.1",
    TOLLGATE_CATALOG: catalog,
    TOLLGATE_LOG: "warn",
    TOLLGATE_SPOOL_DIR: join(folder, "spool"),
  };

  const listen = `127.0.0.1:${await freePort()}`;
  const all = await startChild("all", main, ["--target", "all"], {
    ...env,
    PORT: "0",
    DATABASE_URL: await createDatabase(postgres.url, "bench_all"),
    TOLLGATE_LISTEN: listen,
  });
  const fleet = await startFleet(
    { ...env, DATABASE_URL: await createDatabase(postgres.url, "bench_fleet"), NATS_URL: nats.url },
    0,
  );
  const fleetPids = fleet.pids();
  return {
    subjects: [
      { name: "simulator alone", url: provider.url, key: "", operatorAddress: "", pids: [] },
      await subject("--target all", all.ready.url, listen, [all.pid]),
      await subject("fleet", fleet.url, fleet.billingAddress, fleetPids),
    ],
    databasePid: postgres.pid,
    async stop() {
      await fleet.stop();
      await all.stop();
      await nats.stop();
      await postgres.stop();
      await provider.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function subject(
  name: string,
  url: string | undefined,
  operatorAddress: string,
  pids: readonly number[],
): Promise<Subject> {
  const operator = connectOperator(operatorAddress);
  const creditNanoUsd = 1_000_000_000_000n;
  await operator.client.createAccount({ name: "bench", creditNanoUsd });
  const { key } = await operator.client.createKey({ account: "bench" });
  operator.close();
  return { name, url: url ?? "", key, operatorAddress, pids };
}

function benchCatalog(simulatorUrl: string): string {
  return JSON.stringify({
    providers: { simulator: { base_url: `${simulatorUrl}/v1` } },
    models: [
      {
        alias: "bench",
        route_type: "chat",
        context_tokens: 131_072,
        max_output_tokens: 1_024,
        pricing: { per: 1_000_000, input: "0.15", output: "0.60" },
        chain: [{ provider: "simulator", model: "bench" }],
      },
      {
        alias: "bench-live",
        route_type: "transcriptions",
        language: "auto",
        pricing: { per: 1, price: "0.0001" },
        chain: [{ provider: "simulator", model: "bench", stream_path: "/audio/stream" }],
      },
    ],
  });
}
