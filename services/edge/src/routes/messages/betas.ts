import type { Switch } from "@tollgate/catalog/allowances";
import type { Log } from "@tollgate/core/log";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { AgentModel } from "../agent-model.ts";

/**
 * The betas of Anthropic's API that cost nothing but tokens:
 * https://docs.claude.com/en/api/beta-headers
 */
const known: ReadonlySet<string> = new Set([
  "advanced-tool-use-2025-11-20",
  "cache-diagnosis-2026-04-07",
  "claude-code-20250219",
  "compact-2026-01-12",
  "compact-2026-09-04",
  "computer-use-2024-10-22",
  "computer-use-2025-01-24",
  "computer-use-2025-11-24",
  "context-management-2025-06-27",
  "dev-full-thinking-2025-05-14",
  "effort-2025-11-24",
  "extended-cache-ttl-2025-04-11",
  "fine-grained-tool-streaming-2025-05-14",
  "inline-tools-2026-09-15",
  "interleaved-thinking-2025-05-14",
  "mid-conversation-output-config-2026-07-01",
  "mid-conversation-system-2026-04-07",
  "mid-conversation-system-clear-at-2026-08-21",
  "mid-conversation-tool-changes-2026-07-01",
  "model-context-window-exceeded-2025-08-26",
  "output-128k-2025-02-19",
  "output-300k-2026-03-24",
  "pdfs-2024-09-25",
  "prompt-caching-2024-07-31",
  "prompt-caching-scope-2026-01-05",
  "redact-thinking-2026-02-12",
  "structured-outputs-2025-11-13",
  "structured-outputs-2025-12-15",
  "summarize-connector-text-2026-03-13",
  "task-budgets-2026-03-13",
  "thinking-binding-controls-2026-08-01",
  "thinking-display-updates-2026-08-18",
  "thinking-token-count-2026-05-13",
  "token-counting-2024-11-01",
  "token-efficient-tools-2025-02-19",
  "tool-examples-2025-10-29",
  "tool-search-tool-2025-10-19",
]);

/** The betas of what a model must allow. */
const switched: ReadonlyMap<string, Switch> = new Map([
  ["code-execution-2025-05-22", "code_execution"],
  ["code-execution-2025-08-25", "code_execution"],
  ["fast-mode-2026-02-01", "priority"],
  ["files-api-2025-04-14", "stored"],
  ["mcp-client-2025-04-04", "mcp"],
  ["mcp-client-2025-11-20", "mcp"],
  ["mcp-client-2026-09-15", "mcp"],
  ["skills-2025-10-02", "stored"],
  ["web-fetch-2025-09-10", "web_fetch"],
  ["web-search-2025-03-05", "web_search"],
]);

/** Makes a context of a million tokens of one of this many. What is above may have another price. */
const longContext = "context-1m-2025-08-07";
const usualContextTokens = 200_000;

/** Returns whether a beta is sent to the providers of a model. */
export function isSentBeta(name: string, { allows, contextTokens = 0 }: AgentModel): boolean {
  if (known.has(name) || allows.has(`beta:${name}`)) return true;
  if (name === longContext) return contextTokens > usualContextTokens;
  const needs = switched.get(name);
  return needs !== undefined && allows.has(needs);
}

/** Limits of the names that are kept and logged, which clients choose: their number and their length. */
const maxLogged = 100;
const maxNameLength = 64;

/** Counts the betas that are not sent, and logs each name once. */
export class DroppedBetas {
  readonly #log: Log;
  readonly #count: Metrics["droppedBetas"];
  readonly #logged = new Set<string>();

  constructor(log: Log, { droppedBetas }: Pick<Metrics, "droppedBetas">) {
    this.#log = log;
    this.#count = droppedBetas;
  }

  /** Returns an `anthropic-beta` header without the betas that are not sent; empty if none is left. */
  sentHeader(header: string, model: AgentModel): string {
    const names = header.split(",").map((name) => name.trim());
    const sent = names.filter((name) => name !== "" && isSentBeta(name, model));
    if (sent.length === names.length) return header;
    for (const name of names) if (name !== "" && !sent.includes(name)) this.#drop(name);
    return sent.join(",");
  }

  #drop(name: string): void {
    this.#count.inc();
    const beta = name.slice(0, maxNameLength);
    if (this.#logged.size >= maxLogged || this.#logged.has(beta)) return;
    this.#logged.add(beta);
    this.#log.warn({ beta }, "a beta that the model does not allow is not sent to providers");
  }
}
