import { join } from "node:path";
import { type AgentResult, findAgentProgram, runAgent } from "./agent-program.ts";

const version = "2.1.197";

export interface ClaudeCodeProject {
  /** The address of the gateway, without /v1. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly readme: string;
  /** Further files of the project. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Resolves with Claude Code. Throws as `findAgentProgram` does. */
export function findClaudeCode(): Promise<string> {
  const platform = `claude-code-${process.platform}-${process.arch}`;
  return findAgentProgram({
    name: "claude-code",
    wanted: `@anthropic-ai/claude-code@${version}`,
    path: join("@anthropic-ai", platform, process.platform === "win32" ? "claude.exe" : "claude"),
  });
}

/** Runs `claude -p` with one prompt. Resolves with what it printed, and the readme. */
export async function runClaudeCode(
  { url, key, model, readme, files = {}, environment = {} }: ClaudeCodeProject,
  prompt: string,
): Promise<AgentResult> {
  const program = await findClaudeCode();
  const tools = ["--permission-mode", "acceptEdits", "--allowedTools", "Read,Edit"];
  return runAgent({
    program,
    args: ["-p", prompt, ...tools, "--output-format", "json"],
    files: { "README.md": readme, ...files },
    environment: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "0",
      DISABLE_AUTOUPDATER: "1",
      ...environment,
    },
  });
}
