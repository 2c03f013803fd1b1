import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDataFolder } from "./data-folder.ts";

/** Larger than any process id that Linux assigns. */
const deadPid = 4_194_305;

let folder: string;
const launched: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-folder-"));
});

afterEach(async () => {
  for (const child of launched.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** Starts a process that opens the folder and holds its lock until it is killed. */
async function startLauncher() {
  const program = `
    import { openDataFolder } from ${JSON.stringify(import.meta.resolve("./data-folder.ts"))};
    await openDataFolder(process.argv[1]).then(
      () => process.stdout.write("opened"),
      (error) => { process.stdout.write(error.message); process.exit(); },
    );
    setInterval(() => {}, 1000);`;
  const args = ["--input-type=module-typescript", "--eval", program, folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  launched.push(child);
  const [message] = (await once(child.stdout, "data")) as [Buffer];
  return { child, message: message.toString() };
}

test("a missing folder is created, and can be opened again after its release", async () => {
  const path = join(folder, "deep", "data");
  const first = await openDataFolder(path);
  expect(first.path).toBe(path);
  await first.release();
  await (await openDataFolder(path)).release();
  expect(await readdir(path)).toEqual([]);
});

test("a second launcher is refused with the folder and the first launcher's process id", async () => {
  const data = await openDataFolder(folder);
  const { message } = await startLauncher();
  expect(message).toBe(
    `the data folder ${folder} is in use by process ${process.pid}: stop that process, or set ` +
      "TOLLGATE_DATA_DIR to another folder",
  );
  await expect(openDataFolder(folder)).rejects.toThrow("is in use");
  await data.release();
});

test("exactly one launcher recovers the lock of a killed launcher", async () => {
  const { child, message } = await startLauncher();
  expect(message).toBe("opened");
  await expect(openDataFolder(folder)).rejects.toThrow(`in use by process ${child.pid}`);
  child.kill("SIGKILL");
  await once(child, "exit");
  const launchers = await Promise.all(Array.from({ length: 4 }, startLauncher));
  expect(launchers.filter(({ message }) => message === "opened")).toHaveLength(1);
});

test("exactly one of many concurrent calls recovers a dead launcher's lock", async () => {
  for (let round = 0; round < 50; round += 1) {
    await writeFile(join(folder, "launcher.pid"), `${deadPid} ${round}`);
    const tries = Array.from({ length: 8 }, () => openDataFolder(folder));
    const opened = (await Promise.allSettled(tries)).filter(({ status }) => status === "fulfilled");
    expect(opened).toHaveLength(1);
    expect(await readdir(folder)).toEqual(["launcher.pid"]);
  }
});

test("a recovery whose process died is recovered", async () => {
  await writeFile(join(folder, "launcher.pid"), `${deadPid} 1`);
  await writeFile(join(folder, `launcher.pid.recovery-of-${deadPid}-1`), `${deadPid} 2`);
  const data = await openDataFolder(folder);
  expect(await readdir(folder)).toEqual(["launcher.pid"]);
  await data.release();
});

test.runIf(process.platform === "linux")(
  "a lock whose process id belongs to another program now is recovered",
  async () => {
    await writeFile(join(folder, "launcher.pid"), `${process.ppid} 1`);
    await (await openDataFolder(folder)).release();
  },
);

test("an empty lock of a dead launcher is recovered", async () => {
  const lock = join(folder, "launcher.pid");
  await writeFile(lock, "");
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(lock, longAgo, longAgo);
  await (await openDataFolder(folder)).release();
});
