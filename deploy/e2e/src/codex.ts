import { join } from "node:path";
import { type AgentResult, findAgentProgram, runAgent } from "./agent-program.ts";

const version = "0.169.0";

export interface CodexProject {
  /** The address of the gateway's API, which ends in /v1. */
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  readonly readme: string;
}

/** Resolves with Codex. Throws as `findAgentProgram` does. */
export function findCodex(): Promise<string> {
  const wanted = `@openai/codex@${version}`;
  const path = join("@openai", "codex", "bin", "codex.js");
  return findAgentProgram({ name: "codex", wanted, path });
}

/** Runs `codex exec` with one prompt. Resolves with the events that it printed, and the readme. */
export async function runCodex(
  { baseUrl, key, model, readme }: CodexProject,
  prompt: string,
): Promise<AgentResult> {
  const program = await findCodex();
  const settings = [
    `model = "${model}"`,
    'model_provider = "tollgate"',
    'web_search = "disabled"',
    "[model_providers.tollgate]",
    'name = "Tollgate"',
    `base_url = "${baseUrl}"`,
    'env_key = "TOLLGATE_KEY"',
    'wire_api = "responses"',
    "request_max_retries = 0",
    "stream_max_retries = 0",
  ];
  return runAgent({
    program,
    args: [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "--json",
      prompt,
    ],
    files: { "README.md": readme, "~/.codex/config.toml": `${settings.join("\n")}\n` },
    environment: { TOLLGATE_KEY: key },
  });
}
