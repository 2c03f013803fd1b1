import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { natsAddress } from "@tollgate/runtime/broker/nats-address";
import { connect, StringCodec } from "nats";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startNatsServer } from "./nats-server.ts";
import { isAlive } from "./process-table.ts";

let dataFolder: string;

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "tollgate-nats-"));
});

afterEach(() => rm(dataFolder, { recursive: true, force: true }));

async function publish(url: string, text: string): Promise<void> {
  const connection = await connect(natsAddress(url));
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: "stored", subjects: ["stored"] });
  await connection.jetstream().publish("stored", StringCodec().encode(text));
  await connection.close();
}

async function countMessages(url: string): Promise<number> {
  const connection = await connect(natsAddress(url));
  const { state } = await (await connection.jetstreamManager()).streams.info("stored");
  await connection.close();
  return state.messages;
}

// The first run on a machine downloads the server.
describe("an embedded NATS server", { timeout: 300_000 }, () => {
  test("preserves its streams over a restart, and leaves no process after it is stopped", async () => {
    const storeFolder = join(dataFolder, "elsewhere");
    const first = await startNatsServer({ dataFolder, storeFolder });
    await publish(first.url, "one");
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);
    expect((await stat(join(storeFolder, "jetstream"))).isDirectory()).toBe(true);
    const second = await startNatsServer({ dataFolder, storeFolder });
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
    expect((await stat(join(dataFolder, "nats-server.conf"))).mode & 0o777).toBe(0o600);
    expect(await countMessages(second.url)).toBe(1);
    await second.stop();
  });

  test("starts again with its streams after the launcher was killed", async () => {
    const program = `
      import { startNatsServer } from ${JSON.stringify(import.meta.resolve("./nats-server.ts"))};
      const { url, pid } = await startNatsServer({ dataFolder: process.argv[1] });
      process.stdout.write(JSON.stringify({ url, pid }));
      setInterval(() => {}, 1000);`;
    const args = ["--input-type=module-typescript", "--eval", program, dataFolder];
    const launcher = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [message] = (await once(launcher.stdout, "data")) as [Buffer];
    const orphan = JSON.parse(message.toString()) as { url: string; pid: number };
    await publish(orphan.url, "one");
    launcher.kill("SIGKILL");
    await once(launcher, "exit");
    expect(isAlive(orphan.pid)).toBe(true);
    const next = await startNatsServer({ dataFolder });
    expect(isAlive(orphan.pid)).toBe(false);
    expect(await countMessages(next.url)).toBe(1);
    await next.stop();
  });

  test("a port that another NATS server uses is refused", async () => {
    const first = await startNatsServer({ dataFolder });
    const port = Number(new URL(first.url).port);
    const other = { dataFolder: join(dataFolder, "other"), port };
    await expect(startNatsServer(other)).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`);
    await first.stop();
    const second = await startNatsServer(other);
    expect(new URL(second.url).port).toBe(String(port));
    await second.stop();
  });
});
