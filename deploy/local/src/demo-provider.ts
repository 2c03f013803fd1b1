import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(import.meta.resolve("@tollgate/simulator/main"));

/** Starts the simulator as a child process. It exits when this process does. */
export async function startDemoProvider(
  env: NodeJS.ProcessEnv,
): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [main], {
    env: { PATH: env.PATH, SIMULATOR_PORT: env.SIMULATOR_PORT, SIMULATOR_END_WITH_PARENT: "1" },
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const line = once(createInterface({ input: child.stdout }), "line");
  const [message] = await Promise.race([
    line as Promise<[string]>,
    exited.then(([code]) => {
      throw new Error(`the simulator exited (${code}) before it was ready`);
    }),
  ]);
  return {
    url: (JSON.parse(message) as { url: string }).url,
    pid: child.pid as number,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
