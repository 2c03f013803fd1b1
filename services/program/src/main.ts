import { parseArgs } from "node:util";
import { StartError } from "@tollgate/core/errors";
import { runUntilStopped, startTarget } from "./run.ts";

/** `main.ts --target all|edge|chat|document|…`: every service in one process, or one of them. */
await runUntilStopped(async () => {
  const program = await startTarget(readTarget(process.argv.slice(2)), process.env);
  const ready = { ready: true, url: program.url, consoleUrl: program.consoleUrl };
  // A launcher that has died is noticed by its disconnect.
  process.send?.(ready, undefined, {}, () => {});
  return program;
});

function readTarget(args: string[]): string {
  try {
    const { values } = parseArgs({ args, options: { target: { type: "string", default: "all" } } });
    return values.target;
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}
