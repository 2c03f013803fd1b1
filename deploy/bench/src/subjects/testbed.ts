import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemoProvider } from "@tollgate/local/demo-provider";
import { startPostgres } from "@tollgate/local/postgres";

/** What all subjects share: the provider that they call and the Postgres server. */
export interface Testbed extends AsyncDisposable {
  /** A temporary folder; removed at the end. */
  folder: string;
  provider: { url: string; pid: number };
  postgres: { url: string; pid: number };
  /** Registers what must be stopped before the testbed; the last one is stopped first. */
  defer(stop: () => Promise<void>): void;
}

/** Starts the simulator and a durable Postgres. */
export async function startTestbed(): Promise<Testbed> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  // When this runs as root, Postgres runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o711);
  const provider = await startDemoProvider(process.env);
  stack.defer(provider.stop);
  const postgres = await startPostgres({ dataFolder: folder });
  stack.defer(postgres.stop);
  const resources = stack.move();
  let disposed: Promise<void> | undefined;
  // The second call waits for the first: a run that fails because its subjects are being stopped
  // must not end this program before they are stopped.
  const dispose = () => {
    disposed ??= resources.disposeAsync();
    return disposed;
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void dispose().finally(() => process.exit(1)));
  }
  return {
    folder,
    provider,
    postgres,
    defer: (stop) => resources.defer(stop),
    [Symbol.asyncDispose]: dispose,
  };
}
