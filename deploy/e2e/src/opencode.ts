import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { access, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const version = "1.18.32";
const installTimeoutMs = 180_000;
const runTimeoutMs = 90_000;
/** Nothing listens here, so every connection through this proxy fails. */
const closedProxy = "http://127.0.0.1:1";

/** One event that `opencode run --format json` prints. */
export interface OpencodeEvent {
  readonly type: string;
  readonly part?: {
    readonly tool?: string;
    readonly text?: string;
    readonly state?: { readonly status: string; readonly input: unknown; readonly output?: string };
  };
  readonly error?: unknown;
}

export interface OpencodeProject {
  /** The address of the gateway's API, which ends in /v1. */
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  /** Options of the model, in opencode's own names. */
  readonly modelOptions?: Readonly<Record<string, unknown>>;
  /** The only tools that the agent has; all by default. */
  readonly tools?: readonly string[];
  /** The text of README.md, the only file of the project. */
  readonly readme: string;
}

/**
 * Runs the opencode agent with one prompt, in a project and a home folder of its own that are
 * removed afterwards. It reaches no network but this machine. Resolves with what it printed; throws
 * when it fails.
 */
export async function runOpencode(
  project: OpencodeProject,
  prompt: string,
): Promise<OpencodeEvent[]> {
  const program = await findOpencode();
  const folder = await mkdtemp(join(tmpdir(), "tollgate-opencode-"));
  const [home, workspace] = [join(folder, "home"), join(folder, "project")];
  try {
    await mkdir(home);
    await mkdir(workspace);
    await writeFile(join(workspace, "README.md"), project.readme);
    await writeFile(join(workspace, "opencode.json"), JSON.stringify(settingsOf(project)));
    const started = run(program, ["run", "--pure", "--format", "json", prompt], {
      cwd: workspace,
      env: environment(home),
      timeout: runTimeoutMs,
    });
    started.child.stdin?.end();
    const { stdout } = await started;
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function settingsOf({ baseUrl, key, model, modelOptions, tools }: OpencodeProject): object {
  const limit = { context: 32_768, output: 4_096 };
  const only = tools && Object.fromEntries([["*", false], ...tools.map((tool) => [tool, true])]);
  return {
    autoupdate: false,
    share: "disabled",
    model: `tollgate/${model}`,
    small_model: `tollgate/${model}`,
    enabled_providers: ["tollgate"],
    ...(only === undefined ? {} : { tools: only }),
    provider: {
      tollgate: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: baseUrl, apiKey: key },
        models: { [model]: { limit, reasoning: true, options: modelOptions ?? {} } },
      },
    },
  };
}

function environment(home: string): NodeJS.ProcessEnv {
  return {
    HOME: home,
    PATH: process.env.PATH,
    HTTP_PROXY: closedProxy,
    HTTPS_PROXY: closedProxy,
    NO_PROXY: "127.0.0.1,localhost",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_SHARE: "1",
  };
}

/** Resolves with the program in the cache folder. The first call on a machine installs it by npm. */
async function findOpencode(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "tollgate/opencode");
  const folder = join(cache, version);
  const program = join(folder, "node_modules", platformPackage(), "bin", programName());
  if (await exists(program)) return program;
  await install(cache, folder);
  if (await exists(program)) return program;
  throw new Error(`${platformPackage()}@${version} does not contain ${program}`);
}

/** The package that `opencode-ai` installs on this platform; on x64, the one for every CPU. */
function platformPackage(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  return `opencode-${platform}-${process.arch}${process.arch === "x64" ? "-baseline" : ""}`;
}

function programName(): string {
  return process.platform === "win32" ? "opencode.exe" : "opencode";
}

/** Installs into a scratch folder and renames it, so that no process runs an incomplete file. */
async function install(cache: string, folder: string): Promise<void> {
  const scratch = join(cache, `.${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  const npm = process.env.npm_execpath;
  const args = ["install", "--prefix", scratch, "--ignore-scripts", "--no-audit", "--no-fund"];
  const wanted = `${platformPackage()}@${version}`;
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
    throw new Error(`cannot install ${wanted} by npm, which needs a package registry: ${reason}`);
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
