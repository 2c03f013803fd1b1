// Installs what is missing and generates what is not kept in the repository. It runs on the Node
// that the machine has (20 or newer), before anything is installed, so it uses nothing but Node.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const packageLock = join(root, "package-lock.json");
const modules = join(root, "node_modules");
const stamps = join(modules, ".tollgate");
/** Outside node_modules, which an installation empties. */
const lock = join(root, ".data/prepare.lock");
const lockPollMs = 200;
/** A lock that names no process for this long was left by one that died while it made it. */
const maxNamelessMs = 2_000;

if (isInstallDue() || dueGenerators().length > 0) await prepare();

async function prepare() {
  await takeLock();
  try {
    // What was due may have been done by another terminal in the meantime.
    if (isInstallDue()) await install();
    const results = await Promise.allSettled(dueGenerators().map(generate));
    const failed = results.find(({ status }) => status === "rejected");
    if (failed) throw failed.reason;
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
  const wanted = hashOf([packageLock]);
  const installed = join(modules, ".package-lock.json");
  const isFresh =
    existsSync(installed) && statSync(installed).mtimeMs > statSync(packageLock).mtimeMs;
  if (!isFresh) {
    process.stdout.write("Installing packages (once)…\n");
    const npm = process.env.npm_execpath;
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run(npm ? process.execPath : "npm", npm ? [npm, ...args] : args, {});
  }
  stamp("install", wanted);
}

/** What makes code, from which files, and where to. */
function generators() {
  const proto = {
    name: "proto",
    inputs: filesUnder(join(root, "proto"), ["gen", "node_modules"]).filter((file) =>
      /\.(proto|yaml)$/.test(file),
    ),
    output: join(root, "proto/gen"),
    command: ["buf", ["generate"], { cwd: join(root, "proto") }],
  };
  // Generating needs no engine; naming one keeps the command from fetching it.
  const engine = process.platform === "win32" ? process.execPath : "/bin/true";
  const env = { PRISMA_SCHEMA_ENGINE_BINARY: engine, CHECKPOINT_DISABLE: "1" };
  const clients = readdirSync(join(root, "services"))
    .map((service) => ({ service, schema: `services/${service}/prisma/schema.prisma` }))
    .filter(({ schema }) => existsSync(join(root, schema)) && hasGenerator(join(root, schema)))
    .map(({ service, schema }) => ({
      name: `prisma-${service}`,
      inputs: [join(root, schema)],
      output: join(root, "services", service, "src/generated"),
      command: ["prisma", ["generate", "--schema", schema], { env }],
    }));
  return [proto, ...clients];
}

/** A schema may only describe its tables. */
function hasGenerator(schema) {
  return /^generator /m.test(readFileSync(schema, "utf8"));
}

/** A generator runs again when its inputs change, or the packages, and with them its tool. */
function dueGenerators() {
  const tools = hashOf([packageLock]);
  return generators()
    .map((generator) => ({ ...generator, wanted: hashOf(generator.inputs) + tools }))
    .filter(({ name, wanted, output }) => !isStamped(name, wanted) || !existsSync(output));
}

async function generate({ name, wanted, command }) {
  await run(...command);
  stamp(name, wanted);
}

/** Runs a command quietly. When it fails, raises an Error with what it said. */
function run(command, args, { cwd = root, env = {} }) {
  const path = `${join(modules, ".bin")}${delimiter}${process.env.PATH}`;
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PATH: path, ...env },
    // Commands of packages are scripts of its shell there; Node itself is not.
    shell: process.platform === "win32" && command !== process.execPath,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A killed prepare leaves its command running: the lock holds until that one ends, too.
  if (child.pid) appendFileSync(join(lock, "pid"), ` ${child.pid}`);
  const output = [];
  child.stdout.on("data", (part) => output.push(part));
  child.stderr.on("data", (part) => output.push(part));
  return new Promise((resolve, reject) => {
    const fail = (reason) => {
      const said = Buffer.concat(output).toString("utf8");
      reject(new Error(`${said}\n${[command, ...args].join(" ")} failed: ${reason}`));
    };
    child.on("error", (error) => fail(error.message));
    child.on("close", (code, signal) => (code === 0 ? resolve() : fail(signal ?? `exit ${code}`)));
  });
}

/** Waits for another terminal that is at it; what a dead one left is taken over. */
async function takeLock() {
  mkdirSync(join(lock, ".."), { recursive: true });
  while (!tryLock()) {
    if (isStale(lock)) removeStale();
    else await sleep(lockPollMs);
  }
}

/** Of two that find a dead one's lock at once, the slower may hold the faster's here. */
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
    // It is being made, or it is gone.
  }
  const made = statSync(lock, { throwIfNoEntry: false });
  return made !== undefined && Date.now() - made.mtimeMs > maxNamelessMs;
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
