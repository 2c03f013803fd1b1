import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createDatabase } from "@tollgate/local/postgres";
import { findBifrost } from "./bifrost-program.ts";
import { benchPrices } from "./catalog.ts";
import { startPeer } from "./peer-server.ts";
import type { Subject, UnavailableSubject } from "./subject.ts";
import type { Testbed } from "./testbed.ts";
import { keyLimits } from "./tollgate.ts";

const about = { name: "bifrost", title: "Bifrost" } as const;
const virtualKey = "sk-bf-bench";

/**
 * Starts Bifrost in one process, with those of Tollgate's features that it has: a virtual key with a
 * budget and limits per minute, prices, metrics, and a log of all requests, without their content, in
 * Postgres.
 */
export async function startBifrost(testbed: Testbed): Promise<Subject | UnavailableSubject> {
  let file: string;
  try {
    file = await findBifrost();
  } catch (error) {
    return { ...about, reason: `not available: ${reasonOf(error as Error)}` };
  }
  const folder = join(testbed.folder, "bifrost");
  await mkdir(folder);
  const database = new URL(await createDatabase(testbed.postgres.url, "bench_bifrost"));
  await using prices = await servePrices();
  const config = configOf(testbed.provider.url, prices.url, database);
  await writeFile(join(folder, "config.json"), JSON.stringify(config), { mode: 0o600 });
  const server = await startPeer(testbed, {
    ...about,
    command: file,
    args: (port) => [
      ...["-host", "127.0.0.1", "-port", String(port)],
      ...["-app-dir", folder, "-log-level", "warn"],
    ],
    readyPath: "/health",
  });
  const headers = { authorization: `Bearer ${virtualKey}` };
  return { ...about, ...server, headers };
}

/** Returns the first line of a message that says more than which command failed. */
function reasonOf({ message }: Error): string {
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  return lines.find((line) => !/^(Command failed|go: downloading|# )/.test(line)) ?? message;
}

/** https://docs.getbifrost.ai/deployment-guides/config-json */
function configOf(provider: string, pricesUrl: string, database: URL) {
  const store = {
    enabled: true,
    type: "postgres",
    config: {
      host: database.hostname,
      port: database.port,
      user: decodeURIComponent(database.username),
      password: decodeURIComponent(database.password),
      db_name: database.pathname.slice(1),
      ssl_mode: "disable",
      // All gateways share one Postgres. One connection writes the log.
      max_open_conns: 10,
    },
  };
  const key = { name: "simulator", value: "none", models: ["bench"], weight: 1 };
  const budgetUsd = Number(keyLimits.budget.amountNanoUsd / 1_000_000_000n);
  const limits = {
    ...{ id: "limits", request_max_limit: keyLimits.requestsPerMinute },
    ...{ request_reset_duration: "1m", token_reset_duration: "1m" },
    token_max_limit: Number(keyLimits.tokensPerMinute),
  };
  return {
    client: {
      enable_logging: true,
      disable_content_logging: true,
      enforce_auth_on_inference: true,
    },
    config_store: store,
    logs_store: store,
    framework: { pricing: { pricing_url: pricesUrl } },
    providers: {
      openai: {
        keys: [key],
        network_config: { base_url: provider },
        // Its defaults; there are at most 512 streams at once.
        concurrency_and_buffer_size: { concurrency: 1_000, buffer_size: 5_000 },
      },
    },
    governance: {
      budgets: [{ id: "budget", max_limit: budgetUsd, reset_duration: "1d" }],
      rate_limits: [limits],
      virtual_keys: [
        {
          ...{ id: "bench", name: "bench", value: virtualKey },
          ...{ budget_id: "budget", rate_limit_id: "limits" },
          provider_configs: [{ provider: "openai", weight: 1, allowed_models: ["bench"] }],
        },
      ],
    },
  };
}

/** Serves the prices of the model, in USD per token, to Bifrost, which reads them when it starts. */
async function servePrices() {
  const prices = {
    bench: {
      provider: "openai",
      mode: "chat",
      input_cost_per_token: Number(benchPrices.input) / benchPrices.per,
      output_cost_per_token: Number(benchPrices.output) / benchPrices.per,
    },
  };
  const server = createServer((_, res) => {
    res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(prices));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
