import { join } from "node:path";
import { type AgentResult, findAgentProgram, runAgent } from "./agent-program.ts";

const version = "0.169.0";

export interface CodexProject {
  /** The address of the gateway's API, which ends in /v1. */
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  readonly readme: string;
  /** Further files of the project. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** Further lines of `config.toml`, before its tables. Without them, Codex has its default settings. */
  readonly settings?: readonly string[];
  /** Whether Codex runs commands without its sandbox. It then searches the web itself by default. */
  readonly hasNoSandbox?: boolean;
  /** Headers that it adds to its requests. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Resolves with Codex. Throws as `findAgentProgram` does. */
export function findCodex(): Promise<string> {
  const wanted = `@openai/codex@${version}`;
  const path = join("@openai", "codex", "bin", "codex.js");
  return findAgentProgram({ name: "codex", wanted, path });
}

/** Runs `codex exec` with one prompt. Resolves with the events that it printed, and the readme. */
export async function runCodex(
  {
    baseUrl,
    key,
    model,
    readme,
    files = {},
    settings: more = [],
    hasNoSandbox = false,
    headers = {},
  }: CodexProject,
  prompt: string,
): Promise<AgentResult> {
  const program = await findCodex();
  const settings = [
    `model = "${model}"`,
    'model_provider = "tollgate"',
    ...more,
    "[model_providers.tollgate]",
    'name = "Tollgate"',
    `base_url = "${baseUrl}"`,
    'env_key = "TOLLGATE_KEY"',
    'wire_api = "responses"',
    "request_max_retries = 0",
    "stream_max_retries = 0",
    "[model_providers.tollgate.http_headers]",
    ...Object.entries(headers).map(([name, value]) => `${name} = "${value}"`),
  ];
  return runAgent({
    program,
    args: [
      "exec",
      "--skip-git-repo-check",
      ...(hasNoSandbox
        ? ["--dangerously-bypass-approvals-and-sandbox"]
        : ["--sandbox", "workspace-write"]),
      "--json",
      prompt,
    ],
    files: {
      "README.md": readme,
      ...files,
      "~/.codex/config.toml": `${settings.join("\n")}\n`,
    },
    environment: { TOLLGATE_KEY: key },
  });
}
