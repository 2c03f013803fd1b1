import { execFile } from "node:child_process";
import { access, constants, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "./peer-program.ts";

const run = promisify(execFile);
const modulePath = "github.com/maximhq/bifrost/transports";
const version = "v1.4.19";
const downloadTimeoutMs = 300_000;
const buildTimeoutMs = 1_800_000;

/**
 * Resolves with the path of Bifrost's HTTP server: that in `BIFROST_PROGRAM`, else one that Go builds
 * at the first use, which takes some minutes of CPU and a C compiler. Rejects where there is no Go,
 * where its module proxy does not have Bifrost, and where the given program cannot be run.
 */
export async function findBifrost(): Promise<string> {
  const given = process.env.BIFROST_PROGRAM;
  if (given) {
    await access(given, constants.X_OK);
    return resolve(given);
  }
  return findProgram({ name: "bifrost", version, file: "bifrost-http", install });
}

async function install(folder: string, signal: AbortSignal): Promise<void> {
  const source = join(folder, "source");
  const module = await download(folder, signal);
  // A copy that can be changed and removed: Go's own is read-only, and so is a copy of a part of it.
  const makeWritable = () => run("chmod", ["-R", "u+w", source]).catch(() => {});
  await cp(module, source, { recursive: true }).finally(makeWritable);
  // Its dashboard is no part of the module, and the program embeds this folder.
  const dashboard = join(source, "bifrost-http/ui");
  await mkdir(dashboard, { recursive: true });
  await writeFile(join(dashboard, "index.html"), "");
  const flags = ["-trimpath", `-ldflags=-s -w -X main.Version=${version}`];
  await run("go", ["build", ...flags, "-o", join(folder, "bifrost-http"), "./bifrost-http"], {
    cwd: source,
    env: goEnv(),
    timeout: buildTimeoutMs,
    signal,
  });
  await rm(source, { recursive: true });
}

/** Downloads the module, and resolves with its folder. */
async function download(folder: string, signal: AbortSignal): Promise<string> {
  const args = ["mod", "download", "-json", `${modulePath}@${version}`];
  const options = { cwd: folder, env: goEnv(), timeout: downloadTimeoutMs, signal };
  // It reports its error on standard output.
  const { stdout } = await run("go", args, options).catch((error) => {
    if (typeof error.stdout === "string" && error.stdout !== "") return error as { stdout: string };
    throw error;
  });
  const { Dir, Error: failure } = JSON.parse(stdout) as { Dir?: string; Error?: string };
  if (Dir === undefined) throw new Error(failure ?? "go mod download returned no folder");
  return Dir;
}

function goEnv(): NodeJS.ProcessEnv {
  return { ...process.env, GOWORK: "off", CGO_ENABLED: "1" };
}
