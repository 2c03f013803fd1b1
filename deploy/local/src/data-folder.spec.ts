import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDataFolder } from "./data-folder.ts";

/** Larger than any process id that a system gives. */
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

/** Another program that opens the folder and, unless it is refused, keeps it until it is killed. */
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
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { child, said: said.toString() };
}

test("a folder that is not there is made, and can be opened again once it is released", async () => {
  const path = join(folder, "deep", "data");
  const first = await openDataFolder(path);
  expect(first.path).toBe(path);
  await first.release();
  await (await openDataFolder(path)).release();
  expect(await readdir(path)).toEqual([]);
});

test("a second launcher is refused with the folder and the first one's process id", async () => {
  const data = await openDataFolder(folder);
  const { said } = await startLauncher();
  expect(said).toBe(`the data folder ${folder} is in use by process ${process.pid}`);
  await expect(openDataFolder(folder)).rejects.toThrow("is in use");
  await data.release();
});

test("a killed launcher's lock is taken over, by one alone", async () => {
  const { child, said } = await startLauncher();
  expect(said).toBe("opened");
  await expect(openDataFolder(folder)).rejects.toThrow(`in use by process ${child.pid}`);
  child.kill("SIGKILL");
  await once(child, "exit");
  const launchers = await Promise.all(Array.from({ length: 4 }, startLauncher));
  expect(launchers.filter(({ said }) => said === "opened")).toHaveLength(1);
});

test("a dead launcher's lock goes to one alone, whoever of many comes when", async () => {
  for (let round = 0; round < 50; round += 1) {
    await writeFile(join(folder, "launcher.pid"), `${deadPid} ${round}`);
    const tries = Array.from({ length: 8 }, () => openDataFolder(folder));
    const opened = (await Promise.allSettled(tries)).filter(({ status }) => status === "fulfilled");
    expect(opened).toHaveLength(1);
    expect(await readdir(folder)).toEqual(["launcher.pid"]);
  }
});

test("a dead heir's claim passes on", async () => {
  await writeFile(join(folder, "launcher.pid"), `${deadPid} 1`);
  await writeFile(join(folder, `launcher.pid.heir-of-${deadPid}-1`), `${deadPid} 2`);
  const data = await openDataFolder(folder);
  expect(await readdir(folder)).toEqual(["launcher.pid"]);
  await data.release();
});

test.runIf(process.platform === "linux")(
  "a lock whose process id went to another program is taken over",
  async () => {
    await writeFile(join(folder, "launcher.pid"), `${process.ppid} 1`);
    await (await openDataFolder(folder)).release();
  },
);

test("a lock that a dying launcher left empty is taken over", async () => {
  const lock = join(folder, "launcher.pid");
  await writeFile(lock, "");
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(lock, longAgo, longAgo);
  await (await openDataFolder(folder)).release();
});
