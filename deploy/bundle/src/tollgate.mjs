#!/usr/bin/env node
// The command of the npm package. It runs on any Node from version 20, so it imports only Node's own
// modules, and starts the gateway with the Node of the package where the machine's own is too old.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const oldestNode = 24;
const programs = fileURLToPath(new URL("../programs/", import.meta.url));
/** Those of deploy/local/src/target-process.ts, which says why. */
const gatewayFlags = ["--initial-heap-size=192", "--max-semi-space-size=32"];
const usage = `usage: tollgate [start] [--workers N]   runs the gateway in one process
       tollgate fleet                   runs each service as a process of its own
       tollgate COMMAND …               runs an operator's command on the running gateway
       tollgate --version

--data FOLDER: where the data is. Default: TOLLGATE_DATA_DIR, else ~/.tollgate.
PORT (8080) and the other variables are in docs/configuration.md.

`;

try {
  run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`tollgate: ${error.message}\n`);
  process.exitCode = 2;
}

function run(given) {
  const { data, args } = takeDataFolder(given);
  const [word = "start", ...rest] = args;
  const env = { ...process.env };
  env.TOLLGATE_DATA_DIR = resolve(data || env.TOLLGATE_DATA_DIR || join(homedir(), ".tollgate"));
  if (word === "--version") {
    const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    process.stdout.write(`${JSON.parse(manifest).version}\n`);
    return;
  }
  const gateway = (flags) => startProgram("start.mjs", flags, env, gatewayFlags);
  if (word === "start") gateway(rest);
  else if (word === "fleet") gateway(["--fleet", ...rest]);
  else if (word.startsWith("-") && word !== "--help") gateway(args);
  else {
    if (word === "--help") process.stdout.write(usage);
    startProgram("cli.mjs", args, env, []);
  }
}

function takeDataFolder(args) {
  const index = args.findIndex((arg) => arg === "--data" || arg.startsWith("--data="));
  if (index === -1) return { data: undefined, args };
  const [, inline] = args[index].split(/=(.*)/s);
  const data = inline ?? args[index + 1];
  if (!data) throw new Error("--data: name a folder");
  const end = index + (inline === undefined ? 2 : 1);
  return { data, args: [...args.slice(0, index), ...args.slice(end)] };
}

function startProgram(file, args, env, flags) {
  const child = spawn(findNode(), [...flags, join(programs, file), ...args], {
    env,
    stdio: "inherit",
  });
  // Ctrl-C reaches the child by itself; what a supervisor sends reaches this process alone.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("error", (error) => {
    process.stderr.write(`tollgate: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

/** Returns the Node that runs this script, or the package's own. Throws where both are missing. */
function findNode() {
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) return process.execPath;
  const system = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${system}-${process.arch}`;
  const program = process.platform === "win32" ? "node.exe" : "node";
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const file = join(dirname(manifest), "bin", program);
    if (existsSync(file)) return file;
  } catch {
    // Installed without optional dependencies, or there is no such package.
  }
  throw new Error(`needs Node ${oldestNode} or newer; this is ${process.versions.node}`);
}
