import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findCachedFolder } from "./cached-folder.ts";

const run = promisify(execFile);
const timeout = 300_000;

/** A package of PyPI, of which a test runs programs. */
export interface PythonPackage {
  name: string;
  version: string;
  /** A part that is installed only on request: `server` of `moto[server]`. */
  extra?: string;
}

/**
 * Resolves with a folder of the cache that has the package, where the first call on a machine installs it with what
 * it needs; with undefined where that fails. Its modules are found by `PYTHONPATH`.
 */
export function findPythonPackage({
  name,
  version,
  extra,
}: PythonPackage): Promise<string | undefined> {
  const requirement = `${name}${extra === undefined ? "" : `[${extra}]`}==${version}`;
  return findCachedFolder(name, version, (folder) => {
    const options = ["--quiet", "--target", folder, "--only-binary=:all:"];
    return run("python3", ["-m", "pip", "install", ...options, requirement], { timeout });
  });
}
