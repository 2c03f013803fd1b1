import { type Environment, readSettings } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { type Program, startProgram } from "@tollgate/runtime/program";
import { startTracing } from "@tollgate/runtime/tracing/start";
import { z } from "zod";
import { migrateAll } from "./migrate.ts";
import { servicesOf } from "./targets.ts";

/** How a service that has its own process is reached unless `TOLLGATE_LISTEN` says otherwise. */
const defaultListen = "0.0.0.0:9090";
const defaultOperationsListen = "0.0.0.0:9092";

const settingsSchema = z.object({
  TOLLGATE_LOG: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  TOLLGATE_LISTEN: z.string().optional(),
  TOLLGATE_OPERATIONS_LISTEN: z.string().optional(),
});

/** What a target is that has done all it is for once it has started. */
const done: Program = { url: undefined, stop: async () => {} };

/** Starts one target with its settings from `env`. */
export async function startTarget(target: string, env: Environment): Promise<Program> {
  const settings = readSettings(settingsSchema, env);
  if (target === "migrate") {
    await migrateAll(env, createLog(settings.TOLLGATE_LOG));
    return done;
  }
  const services = servicesOf(target);
  const isAlone = target !== "all";
  const listen = settings.TOLLGATE_LISTEN ?? (isAlone ? defaultListen : "");
  const operations =
    settings.TOLLGATE_OPERATIONS_LISTEN ?? (isAlone ? defaultOperationsListen : "");
  const tracing = await startTracing(env, isAlone ? `tollgate-${target}` : "tollgate", (reason) => {
    log.warn({ reason }, "spans could not be sent");
  });
  const log = createLog(settings.TOLLGATE_LOG);
  return startProgram(
    services,
    { ...env, TOLLGATE_LISTEN: listen, TOLLGATE_OPERATIONS_LISTEN: operations },
    log,
    tracing,
  );
}

/**
 * Runs `main` as the program: a reason not to start is one line and exit code 1, and what `main`
 * answers is stopped at SIGTERM and SIGINT. A second signal ends at once.
 */
export async function runUntilStopped(main: () => Promise<{ stop(): Promise<void> }>) {
  try {
    const { stop } = await main();
    let stopping = false;
    const onSignal = () => {
      if (stopping) process.exit(1);
      stopping = true;
      stop().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  const text =
    error instanceof StartError ? error.message : String((error as Error).stack ?? error);
  process.stderr.write(`tollgate: ${text}\n`);
  process.exit(1);
}
