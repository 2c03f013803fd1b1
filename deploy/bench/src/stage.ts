import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemoProvider } from "@tollgate/local/demo-provider";
import { startPostgres } from "@tollgate/local/postgres";

/** What every subject stands on: the provider that it asks, and where it keeps its data. */
export interface Stage extends AsyncDisposable {
  /** Thrown away at the end. */
  folder: string;
  provider: { url: string; pid: number };
  postgres: { url: string; pid: number };
  /** Adds what has to be stopped before the stage is struck, the last one first. */
  defer(stop: () => Promise<void>): void;
}

/** Starts the simulator and a Postgres that writes as a production one does. */
export async function openStage(): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  // Postgres runs as another user where this runs as root, and then must be able to enter.
  await chmod(folder, 0o711);
  const provider = await startDemoProvider(process.env);
  stack.defer(provider.stop);
  const postgres = await startPostgres({ dataFolder: folder });
  stack.defer(postgres.stop);
  const kept = stack.move();
  let struck: Promise<void> | undefined;
  // Whoever comes second waits for the first: a run that fails because its subjects are being
  // stopped must not end this program before they are.
  const strike = () => {
    struck ??= kept.disposeAsync();
    return struck;
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void strike().finally(() => process.exit(1)));
  }
  return {
    folder,
    provider,
    postgres,
    defer: (stop) => kept.defer(stop),
    [Symbol.asyncDispose]: strike,
  };
}
