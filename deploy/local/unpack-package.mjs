// Unpacks some files of an npm package into a folder, without what the package depends on:
//   node unpack-package.mjs PIN.json FOLDER
// The pin names the package, its version, the hash of its archive, and the files below a root. Like
// prepare.mjs, it runs before anything is installed.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const [pinFile = "", folder = ""] = process.argv.slice(2);
const run = promisify(execFile);
const { name, version, integrity, root, files } = JSON.parse(readFileSync(pinFile, "utf8"));
const target = resolve(folder);
mkdirSync(dirname(target), { recursive: true });
// Beside the target: a folder can be renamed only within a file system.
const unpacked = mkdtempSync(`${target}-`);
const scratch = mkdtempSync(join(tmpdir(), "tollgate-package-"));
try {
  const archive = await download();
  const paths = files.map((file) => `package/${root}/${file}`);
  const depth = paths[0].split("/").length - 1;
  const only = ["--exclude=*.map", `--strip-components=${depth}`, ...paths];
  await run("tar", ["-xzf", archive, "-C", unpacked, ...only]);
  // Only its owner could read a temporary folder, and an image runs as another user.
  chmodSync(unpacked, 0o755);
  rmSync(target, { recursive: true, force: true });
  renameSync(unpacked, target);
} catch (error) {
  const [, reason = error.message] = /^npm error (.*)$/m.exec(error.stderr) ?? [];
  process.stderr.write(`${name}@${version}: ${reason}\n`);
  process.exitCode = 1;
} finally {
  rmSync(unpacked, { recursive: true, force: true });
  rmSync(scratch, { recursive: true, force: true });
}

/** Downloads the archive, or takes it from npm's cache. Throws unless it has the pinned hash. */
async function download() {
  const args = ["pack", `${name}@${version}`, "--json", "--prefer-offline", "--fetch-retries=0"];
  const script = process.env.npm_execpath;
  const [command, given] = script ? [process.execPath, [script, ...args]] : ["npm", args];
  const shell = process.platform === "win32" && !script;
  const { stdout } = await run(command, given, {
    cwd: scratch,
    shell,
    maxBuffer: 32 * 1024 * 1024,
  });
  const archive = join(scratch, JSON.parse(stdout)[0].filename);
  const hash = createHash("sha512").update(readFileSync(archive)).digest("base64");
  if (`sha512-${hash}` !== integrity) throw new Error(`the archive has the hash sha512-${hash}`);
  return archive;
}
