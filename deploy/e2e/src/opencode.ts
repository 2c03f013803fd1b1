import { join } from "node:path";
import { findAgentProgram, runAgent } from "./agent-program.ts";

const version = "1.18.32";

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
  /** Headers that it adds to its requests. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The text of README.md. */
  readonly readme: string;
  /** Further files of the project. Where there are some, opencode is told that its model takes images and PDFs. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

/** Resolves with opencode. Throws as `findAgentProgram` does. */
export function findOpencode(): Promise<string> {
  return findAgentProgram({
    name: "opencode",
    wanted: `${platformPackage()}@${version}`,
    path: join(platformPackage(), "bin", programName()),
  });
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
  const files = {
    "README.md": project.readme,
    ...project.files,
    "opencode.json": JSON.stringify(settingsOf(project)),
  };
  const { stdout } = await runAgent({
    program,
    args: ["run", "--pure", "--format", "json", prompt],
    files,
    environment,
  });
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)));
}

function settingsOf({
  baseUrl,
  key,
  model,
  modelOptions,
  tools,
  headers,
  files,
}: OpencodeProject): object {
  const limit = { context: 32_768, output: 4_096 };
  const modalities = files && { input: ["text", "image", "pdf"], output: ["text"] };
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
        options: { baseURL: baseUrl, apiKey: key, ...(headers && { headers }) },
        models: { [model]: { limit, reasoning: true, modalities, options: modelOptions ?? {} } },
      },
    },
  };
}

const environment = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_SHARE: "1",
};

/** The package that `opencode-ai` installs on this platform; on x64, the one for every CPU. */
function platformPackage(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  return `opencode-${platform}-${process.arch}${process.arch === "x64" ? "-baseline" : ""}`;
}

function programName(): string {
  return process.platform === "win32" ? "opencode.exe" : "opencode";
}
