// Installs what is missing and generates what is not kept in the repository. It runs on the Node
// that the machine has (20 or newer), before anything is installed, so it uses nothing but Node.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const modules = join(root, "node_modules");
const stamps = join(modules, ".tollgate");

await install();
await Promise.all([generateProto(), ...prismaSchemas().map(generatePrisma)]);

async function install() {
  const lock = join(root, "package-lock.json");
  const wanted = hashOf([lock]);
  if (isStamped("install", wanted)) return;
  const installed = join(modules, ".package-lock.json");
  const isFresh = existsSync(installed) && statSync(installed).mtimeMs > statSync(lock).mtimeMs;
  if (!isFresh) {
    process.stdout.write("Installing packages (once)…\n");
    const npm = process.env.npm_execpath;
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run(npm ? process.execPath : "npm", npm ? [npm, ...args] : args, {});
  }
  stamp("install", wanted);
}

async function generateProto() {
  const sources = filesUnder(join(root, "proto"), ["gen", "node_modules"]);
  const wanted = hashOf([...sources, join(modules, ".package-lock.json")]);
  if (isStamped("proto", wanted) && existsSync(join(root, "proto/gen"))) return;
  await run("buf", ["generate"], { cwd: join(root, "proto") });
  stamp("proto", wanted);
}

async function generatePrisma({ service, schema }) {
  const wanted = hashOf([schema, join(modules, ".package-lock.json")]);
  const output = join(root, "services", service, "src/generated");
  if (isStamped(`prisma-${service}`, wanted) && existsSync(output)) return;
  // Generating needs no engine; naming one keeps the command from fetching it.
  const engine = process.platform === "win32" ? process.execPath : "/bin/true";
  await run("prisma", ["generate", "--schema", schema], {
    env: { PRISMA_SCHEMA_ENGINE_BINARY: engine, CHECKPOINT_DISABLE: "1" },
  });
  stamp(`prisma-${service}`, wanted);
}

function prismaSchemas() {
  return readdirSync(join(root, "services"))
    .map((service) => ({
      service,
      schema: join(root, "services", service, "prisma/schema.prisma"),
    }))
    .filter(({ schema }) => existsSync(schema));
}

/** Runs a command quietly; when it fails, shows what it said and ends the program. */
function run(command, args, { cwd = root, env = {} }) {
  const path = `${join(modules, ".bin")}${delimiter}${process.env.PATH}`;
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PATH: path, ...env },
    shell: process.platform === "win32",
  });
  const output = [];
  child.stdout.on("data", (part) => output.push(part));
  child.stderr.on("data", (part) => output.push(part));
  return new Promise((resolve) => {
    const fail = (reason) => {
      process.stderr.write(`${Buffer.concat(output)}\n${command} ${args[0]} failed: ${reason}\n`);
      process.exit(1);
    };
    child.on("error", (error) => fail(error.message));
    child.on("exit", (code) => (code === 0 ? resolve() : fail(`exit code ${code}`)));
  });
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
