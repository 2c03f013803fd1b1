import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleWithLauncher } from "./bundle.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const command = fileURLToPath(new URL("./tollgate.mjs", import.meta.url));
const description =
  "An inference gateway: one OpenAI-compatible address and key in front of many model providers, paid from a prepaid wallet";

/**
 * Writes the npm package `tollgate` to `folder`: the bundle, with the launcher of `npm start`, and the
 * command that runs it. It depends on nothing but the optional packages of Postgres and Node of each
 * platform.
 */
export async function writePackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "bin"), { recursive: true });
  await bundleWithLauncher(join(folder, "programs"));
  await cp(command, join(folder, "bin/tollgate.mjs"));
  await chmod(join(folder, "bin/tollgate.mjs"), 0o755);
  for (const file of ["README.md", "LICENSE"]) await cp(join(root, file), join(folder, file));
  await writeFile(join(folder, "package.json"), `${JSON.stringify(await manifest(), null, 2)}\n`);
}

/**
 * Packs a folder that `writePackage` wrote into `destination`. Resolves with the path of the archive,
 * `tollgate-VERSION.tgz`.
 */
export async function packPackage(folder: string, destination: string): Promise<string> {
  const args = ["pack", folder, "--json", "--pack-destination", destination];
  const script = process.env.npm_execpath;
  const [program, given] = script ? [process.execPath, [script, ...args]] : ["npm", args];
  const options = { maxBuffer: 32 * 1024 * 1024, shell: !script && process.platform === "win32" };
  const { stdout } = await promisify(execFile)(program, given, options);
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  return join(destination, packed?.filename ?? "");
}

async function manifest(): Promise<object> {
  const workspace = await readManifest("");
  const { version } = await readManifest("services/program");
  const { optionalDependencies } = await readManifest("deploy/local");
  return {
    name: "tollgate",
    version,
    description,
    license: workspace.license,
    type: "module",
    bin: { tollgate: "bin/tollgate.mjs" },
    engines: { node: ">=20" },
    files: ["bin", "programs"],
    optionalDependencies: { ...optionalDependencies, ...(await nodePackages()) },
  };
}

/** Returns the packages that contain Node, as pinned for the checkout, with their versions. */
async function nodePackages(): Promise<Record<string, string>> {
  const folder = join(root, "deploy/local/node");
  const pins = await Promise.all(
    (await readdir(folder)).map((file) => readJson(join(folder, file))),
  );
  return Object.fromEntries(pins.map(({ name = "", version = "" }) => [name, version]));
}

interface Manifest {
  name?: string;
  version?: string;
  license?: string;
  optionalDependencies?: Record<string, string>;
}

function readManifest(workspace: string): Promise<Manifest> {
  return readJson(join(root, workspace, "package.json"));
}

async function readJson(file: string): Promise<Manifest> {
  return JSON.parse(await readFile(file, "utf8")) as Manifest;
}
