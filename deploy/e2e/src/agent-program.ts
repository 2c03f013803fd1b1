import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const installTimeoutMs = 180_000;
const runTimeoutMs = 90_000;
const maxOutputBytes = 16 * 1024 * 1024;
/** Nothing listens here, so every connection through this proxy fails. */
const closedProxy = "http://127.0.0.1:1";

/** An agent as npm installs it. */
export interface AgentPackage {
  /** The folder of its versions in the cache. */
  name: string;
  /** The package with its version. */
  wanted: string;
  /** The program in `node_modules`. */
  path: string;
}

/** Says that an agent is not on this machine, and that npm cannot install it. */
export class MissingAgent extends Error {}

/**
 * Resolves with the program in the cache folder. The first call on a machine installs it by npm;
 * throws a MissingAgent where that fails.
 */
export async function findAgentProgram({ name, wanted, path }: AgentPackage): Promise<string> {
  const root = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const cache = join(root, "tollgate", name);
  const folder = join(cache, wanted.slice(wanted.lastIndexOf("@") + 1));
  const program = join(folder, "node_modules", path);
  if (await exists(program)) return program;
  await install(cache, folder, wanted);
  if (await exists(program)) return program;
  throw new Error(`${wanted} does not contain ${program}`);
}

export interface AgentRun {
  program: string;
  args: readonly string[];
  /** The files of the project by their paths; those that start with `~/` are in the home folder. */
  files: Readonly<Record<string, string | Uint8Array>>;
  /** Added to the environment, which is otherwise almost empty. */
  environment: Readonly<Record<string, string>>;
}

export interface AgentResult {
  stdout: string;
  /** Undefined where the program failed. */
  exitCode: number | undefined;
  /** Returns the text of a file of the project after the run. */
  readmeAfter: string;
}

/**
 * Runs an agent in a project and a home folder of its own that are removed afterwards. It reaches no
 * network but this machine. Throws where the program cannot be run or takes too long.
 */
export async function runAgent(agent: AgentRun): Promise<AgentResult> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-agent-"));
  const [home, workspace] = [join(folder, "home"), join(folder, "project")];
  try {
    for (const made of [home, workspace]) await mkdir(made);
    for (const [path, content] of Object.entries(agent.files)) {
      const file = path.startsWith("~/") ? join(home, path.slice(2)) : join(workspace, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    const ended = await execute(agent, home, workspace);
    const readmeAfter = await readFile(join(workspace, "README.md"), "utf8");
    return { ...ended, readmeAfter };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function execute({ program, args, environment }: AgentRun, home: string, cwd: string) {
  const isScript = program.endsWith(".js");
  const started = run(
    isScript ? process.execPath : program,
    [...(isScript ? [program] : []), ...args],
    {
      cwd,
      timeout: runTimeoutMs,
      maxBuffer: maxOutputBytes,
      env: {
        HOME: home,
        PATH: process.env.PATH,
        HTTP_PROXY: closedProxy,
        HTTPS_PROXY: closedProxy,
        NO_PROXY: "127.0.0.1,localhost",
        ...environment,
      },
    },
  );
  started.child.stdin?.end();
  try {
    return { stdout: (await started).stdout, exitCode: 0 };
  } catch (error) {
    const { stdout, code, killed } = error as { stdout?: string; code?: unknown; killed?: boolean };
    if (stdout === undefined || killed) throw error;
    return { stdout, exitCode: typeof code === "number" ? code : undefined };
  }
}

/** Installs into a scratch folder and renames it, so that no process runs an incomplete file. */
async function install(cache: string, folder: string, wanted: string): Promise<void> {
  const scratch = join(cache, `.${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  const npm = process.env.npm_execpath;
  const args = ["install", "--prefix", scratch, "--ignore-scripts", "--no-audit", "--no-fund"];
  try {
    await run(npm ? process.execPath : "npm", [...(npm ? [npm] : []), ...args, wanted], {
      cwd: scratch,
      timeout: installTimeoutMs,
    });
    await rename(scratch, folder);
  } catch (error) {
    // Another process was faster: its copy is used.
    if (await exists(folder)) return;
    const reason = (error as Error).message;
    throw new MissingAgent(`needs ${wanted}, which npm cannot install: ${reason}`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
