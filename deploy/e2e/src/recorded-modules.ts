import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { sourceCache } from "./programs.ts";
import { type OwnStack, startStack } from "./stack.ts";

/** Starts a gateway from its sources. It writes the names of the modules that it loads to `file`. */
export function startRecorded(file: string, env: NodeJS.ProcessEnv): Promise<OwnStack> {
  const recorder = new URL("./record-modules.ts", import.meta.url);
  const main = new URL(import.meta.resolve("@tollgate/program/main"));
  const recorded = { ...sourceCache, NODE_OPTIONS: `--import ${recorder}`, RECORD_MODULES: file };
  return startStack({ ...recorded, ...env }, { main });
}

/** Returns the modules of the OpenTelemetry SDK among those that were recorded. */
export async function sdkModules(file: string): Promise<string[]> {
  const loaded = (await readFile(file, "utf8")).split("\n");
  expect(loaded.some((url) => url.includes("/prom-client/"))).toBe(true);
  return loaded.filter((url) => /\/@opentelemetry\/(?!api\/)|\/tracing\/otlp\.ts/.test(url));
}
