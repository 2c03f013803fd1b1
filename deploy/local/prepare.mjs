// Installs the packages and generates the code that is not in the repository. It runs before
// anything is installed, on any Node from version 20, so it imports only Node's own modules.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const packageLock = join(root, "package-lock.json");
const modules = join(root, "node_modules");
const stamps = join(modules, ".tollgate");
/** Outside node_modules, because an installation empties that folder. */
const lock = join(root, ".data/prepare.lock");
const unpackScript = join(root, "deploy/local/unpack-package.mjs");
/** The Node that runs the code, where the machine's own is older: npm's scripts find it here. */
const nodeCommand = join(modules, ".bin", process.platform === "win32" ? "node.exe" : "node");
const nodePin = join(root, `deploy/local/node/${process.platform}-${process.arch}.json`);
const oldestNode = 24;
const lockPollMs = 200;
/** A lock without a process id that is older than this was left by a process that died. */
const maxEmptyLockMs = 2_000;

if (isAnyDue()) await prepare();

function isAnyDue() {
  if (isInstallDue() || isNodeDue()) return true;
  return [...dueGenerators(), ...due([consolePage()]), ...duePages()].length > 0;
}

async function prepare() {
  await takeLock();
  try {
    // Another terminal may have done the work while this one waited for the lock.
    if (isInstallDue()) await install();
    if (isNodeDue()) await installNode();
    const results = await Promise.allSettled(dueGenerators().map(generate));
    const failed = results.find(({ status }) => status === "rejected");
    if (failed) throw failed.reason;
    // It is built with the generated messages.
    for (const page of due([consolePage()])) await generate(page);
    for (const page of duePages()) await generate(page).catch(reportMissingPage);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isInstallDue() {
  return !isStamped("install", hashOf([packageLock]));
}

async function install() {
  const lockHash = hashOf([packageLock]);
  const installed = join(modules, ".package-lock.json");
  const isFresh =
    existsSync(installed) && statSync(installed).mtimeMs > statSync(packageLock).mtimeMs;
  if (!isFresh) {
    process.stdout.write("Installing packages. This happens once and takes about a minute…\n");
    await run(...npm("ci", "--ignore-scripts", "--no-audit", "--no-fund"));
  }
  stamp("install", lockHash);
}

function isNodeDue() {
  const isOld = Number.parseInt(process.versions.node, 10) < oldestNode;
  return isOld && existsSync(nodePin) && !existsSync(nodeCommand);
}

/** Downloads Node once for all checkouts. A machine with a recent Node does not need the 120 MB. */
async function installNode() {
  const { version, files } = JSON.parse(readFileSync(nodePin, "utf8"));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cache, "tollgate/node", version);
  const program = join(folder, files[0]);
  if (!existsSync(program)) await run(process.execPath, [unpackScript, nodePin, folder]);
  rmSync(nodeCommand, { force: true });
  // Symbolic links need a privilege on Windows.
  if (process.platform === "win32") copyFileSync(program, nodeCommand);
  else symlinkSync(program, nodeCommand);
}

/** Returns the command that runs npm: the one that runs this script, if one does. */
function npm(...args) {
  const script = process.env.npm_execpath;
  return script ? [process.execPath, [script, ...args]] : ["npm", args];
}

/** Lists the code generators: their input files, output folder and command. */
function generators() {
  const proto = {
    name: "proto",
    inputs: filesUnder(join(root, "proto"), ["gen", "node_modules"]).filter((file) =>
      /\.(proto|yaml)$/.test(file),
    ),
    output: join(root, "proto/gen"),
    command: ["buf", ["generate"], { cwd: join(root, "proto") }],
  };
  const prisma = join(root, "deploy/local/generate-prisma.mjs");
  const clients = readdirSync(join(root, "services"))
    .map((service) => ({ service, schema: `services/${service}/prisma/schema.prisma` }))
    .filter(({ schema }) => existsSync(join(root, schema)) && hasGenerator(join(root, schema)))
    .map(({ service, schema }) => ({
      name: `prisma-${service}`,
      inputs: [join(root, schema)],
      output: join(root, "services", service, "src/generated"),
      command: ["node", [prisma, schema]],
    }));
  return [proto, ...clients];
}

/** Describes the build of the console's page, like a code generator. */
function consolePage() {
  const page = join(root, "services/console/web");
  const sources = filesUnder(page, ["dist", "node_modules"]).filter(
    (file) => !file.endsWith(".spec.ts"),
  );
  const inputs = [...sources, ...filesUnder(join(root, "proto/tollgate"), [])];
  const command = [...npm("run", "--silent", "build"), { cwd: page }];
  return { name: "console-page", inputs, output: join(page, "dist"), command };
}

/**
 * Describes the files of the API reference like a code generator. Only its browser build is downloaded:
 * the packages that its sources need are 250 MB.
 */
function apiReference() {
  const docs = join(root, "services/edge/src/routes/docs");
  const [pin, output] = [join(docs, "scalar.json"), join(docs, "scalar")];
  const command = [process.execPath, [unpackScript, pin, output]];
  return { name: "api-reference", inputs: [pin], output, command };
}

/** The gateway runs without these files, so a machine without a network does not need them. */
function reportMissingPage(error) {
  const [reason] = error.message.split("\n");
  process.stderr.write(`/docs is not available until its files are downloaded: ${reason}\n`);
}

/** A schema without a generator only describes tables. */
function hasGenerator(schema) {
  return /^generator /m.test(readFileSync(schema, "utf8"));
}

/**
 * Returns the generators whose inputs changed, or whose tool may have changed with the packages.
 */
function dueGenerators() {
  return due(generators());
}

/** What is downloaded does not depend on the installed packages. */
function duePages() {
  return due([apiReference()], "");
}

function due(generators, tools = hashOf([packageLock])) {
  return generators
    .map((generator) => ({ ...generator, wanted: hashOf(generator.inputs) + tools }))
    .filter(({ name, wanted, output }) => !isStamped(name, wanted) || !existsSync(output));
}

async function generate({ name, wanted, command }) {
  await run(...command);
  stamp(name, wanted);
}

/** Runs a command without output. Rejects with its output when it fails. */
function run(command, args, { cwd = root } = {}) {
  const path = `${join(modules, ".bin")}${delimiter}${process.env.PATH}`;
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PATH: path },
    // On Windows, the commands of packages are shell scripts; Node itself is not.
    shell: process.platform === "win32" && command !== process.execPath,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // When this script is killed, its command runs on: the lock stays valid until both have ended.
  if (child.pid) appendFileSync(join(lock, "pid"), ` ${child.pid}`);
  const output = [];
  child.stdout.on("data", (chunk) => output.push(chunk));
  child.stderr.on("data", (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    const fail = (reason) => {
      const text = Buffer.concat(output).toString("utf8");
      reject(new Error(`${text}\n${[command, ...args].join(" ")} failed: ${reason}`));
    };
    child.on("error", (error) => fail(error.message));
    child.on("close", (code, signal) => (code === 0 ? resolve() : fail(signal ?? `exit ${code}`)));
  });
}

/** Takes the lock. Waits while another terminal holds it; recovers the lock of a dead process. */
async function takeLock() {
  mkdirSync(join(lock, ".."), { recursive: true });
  while (!tryLock()) {
    if (isStale(lock)) removeStale();
    else await sleep(lockPollMs);
  }
}

/**
 * When two processes find a stale lock at once, the slower one may rename the new lock of the
 * faster one here: then it renames it back.
 */
function removeStale() {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (!isStale(aside)) return renameSync(aside, lock);
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "ENOTEMPTY") throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}

function tryLock() {
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, "pid"), String(process.pid));
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function isStale(lock) {
  try {
    const pids = readFileSync(join(lock, "pid"), "utf8").split(" ").map(Number);
    if (pids[0] > 0) return !pids.some(isAlive);
  } catch {
    // The lock is being written, or was removed.
  }
  const stats = statSync(lock, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > maxEmptyLockMs;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function isStamped(name, wanted) {
  const file = join(stamps, name);
  return existsSync(file) && readFileSync(file, "utf8") === wanted;
}

function stamp(name, value) {
  mkdirSync(stamps, { recursive: true });
  writeFileSync(join(stamps, name), value);
}

function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(existsSync(file) ? readFileSync(file) : "");
  return hash.digest("hex");
}

function filesUnder(folder, skip) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !skip.includes(entry.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(path, []) : [path];
    })
    .sort();
}
