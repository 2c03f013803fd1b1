import { type Environment, readSettings } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { listenAddress } from "@tollgate/core/listen-host";
import { createLog } from "@tollgate/core/log";
import { type Program, startProgram } from "@tollgate/runtime/program";
import { startTracing } from "@tollgate/runtime/tracing/start";
import { z } from "zod";
import { servicesOf } from "./targets.ts";

/** Where the gRPC of a service with a process of its own is served by default. */
const defaultListen = "*:9090";
/** Where an orchestrator probes such a process by default. */
const defaultOperationsListen = "*:9092";

/** Where the console listens by default: on a machine of one's own, and in a process of its own. */
const defaultConsoleListen = { all: "127.0.0.1:8081", alone: "*:8081" };

const settingsSchema = z.object({
  TOLLGATE_LOG: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  TOLLGATE_LISTEN: z.string().optional(),
  TOLLGATE_OPERATIONS_LISTEN: z.string().optional(),
});

/** The program of a target that has completed when it has started. */
const completed: Program = { url: undefined, consoleUrl: undefined, stop: async () => {} };

/** Starts one target with the settings in `env`. Throws a StartError when it cannot start. */
export async function startTarget(target: string, env: Environment): Promise<Program> {
  const settings = readSettings(settingsSchema, env);
  if (target === "migrate") {
    const { migrateAll } = await import("./migrate.ts");
    await migrateAll(env, createLog(settings.TOLLGATE_LOG));
    return completed;
  }
  const services = await servicesOf(target);
  const isAlone = target !== "all";
  const listen = settings.TOLLGATE_LISTEN ?? (isAlone ? defaultListen : "");
  const operations =
    settings.TOLLGATE_OPERATIONS_LISTEN ?? (isAlone ? defaultOperationsListen : "");
  const tracing = await startTracing(env, isAlone ? `tollgate-${target}` : "tollgate", (reason) => {
    log.warn({ reason }, "cannot export spans");
  });
  const log = createLog(settings.TOLLGATE_LOG);
  return startProgram(
    services,
    {
      ...env,
      TOLLGATE_LISTEN: listenAddress(listen),
      TOLLGATE_OPERATIONS_LISTEN: operations,
      TOLLGATE_CONSOLE_LISTEN:
        env.TOLLGATE_CONSOLE_LISTEN ?? defaultConsoleListen[isAlone ? "alone" : "all"],
    },
    log,
    tracing,
  );
}

/**
 * Runs `main` as the program and stops what it returns at SIGTERM or SIGINT, and when the launcher
 * that started this process has died. A second signal exits at once, as does the death of the
 * launcher during the start. A StartError is printed on one line, with exit code 1.
 */
export async function runUntilStopped(main: () => Promise<{ stop(): Promise<void> }>) {
  const exit = () => process.exit(1);
  process.once("disconnect", exit);
  // The launcher may have died while the code was loaded.
  if (process.send !== undefined && !process.connected) exit();
  try {
    const { stop } = await main();
    let isStopping = false;
    const onSignal = () => {
      if (isStopping) exit();
      isStopping = true;
      stop().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
    };
    process.off("disconnect", exit);
    process.once("disconnect", () => {
      if (!isStopping) onSignal();
    });
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
