import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { type ScriptedStep, scripted } from "@tollgate/simulator/chat/script";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { filesOfAgents, mediaSentIn } from "../src/agent-files.ts";
import { knownModels, readingModels } from "../src/catalog/agents.ts";
import { findClaudeCode, runClaudeCode } from "../src/claude-code.ts";
import { type CodexProject, findCodex, runCodex } from "../src/codex.ts";
import { eventually } from "../src/eventually.ts";
import { readWalletRow } from "../src/ledger.ts";
import { metricSum } from "../src/process-metrics.ts";
import { send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { skipWithoutAgent } from "../src/skip-without-agent.ts";
import type { TestAccount } from "../src/stack.ts";

/** Includes the installation at the first run on a machine. */
const timeoutMs = 300_000;

const readme = "# The lighthouse keeper's manual\n";
const edited = "# The harbour master's manual\n";

/** A slot of each wire, and one after a slot that fails. */
const models = ["test-gpt", "test-claude", "test-gemini-3", "test-small", "test-claude-overloaded"];

const { stack, account } = await sharedStack();

/** The number of the latest call that the provider received. */
const lastSeq = () => stack.simulator.calls.list().at(-1)?.seq ?? 0;

describe("an agent reads a file, edits it and ends", () => {
  /** Waits until every request that the provider served since is charged. */
  async function expectCharged(owner: TestAccount, requests: number) {
    await eventually(async () => {
      const { entries, held } = await readWalletRow(stack, owner);
      const charges = entries.filter(({ kind, amount }) => kind === "usage" && amount < 0n);
      expect([charges.length, held]).toEqual([requests, 0n]);
    });
  }

  describe("through @anthropic-ai/sdk", () => {
    const steps: ScriptedStep[] = [
      { tool: "read_file", arguments: { path: "README.md" } },
      { tool: "edit_file", arguments: { path: "README.md", text: edited } },
      { text: "The manual has a new title." },
    ];

    /** Runs the agent's loop of the SDK with tools over a folder, streamed. */
    async function runLoop(key: string, model: string, onRead = async () => {}) {
      const folder = await mkdtemp(join(tmpdir(), "tollgate-sdk-"));
      const file = join(folder, "README.md");
      await writeFile(file, readme);
      const client = new Anthropic({ apiKey: key, baseURL: stack.url, maxRetries: 0 });
      const path = z.string();
      const tools = [
        betaZodTool({
          name: "read_file",
          description: "Reads a file.",
          inputSchema: z.object({ path }),
          async run({ path: name }) {
            await onRead();
            return readFile(join(folder, name), "utf8");
          },
        }),
        betaZodTool({
          name: "edit_file",
          description: "Writes a file.",
          inputSchema: z.object({ path, text: z.string() }),
          async run({ path: name, text }) {
            await writeFile(join(folder, name), text);
            return "written";
          },
        }),
      ];
      try {
        const runner = client.beta.messages.toolRunner({
          model,
          max_tokens: 1_000,
          stream: true,
          thread: false,
          tools,
          messages: [{ role: "user", content: scripted(steps) }],
        });
        const ended = await runner.runUntilDone().then(
          (message) => ({ message, error: undefined }),
          (error: unknown) => ({ message: undefined, error }),
        );
        return { ...ended, readmeAfter: await readFile(file, "utf8") };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }

    test.each(models)("with the alias %s", async (model) => {
      const owner = await stack.newAccount(1);
      const { message, error, readmeAfter } = await runLoop(owner.key, model);
      expect(error).toBeUndefined();
      expect(message?.content).toMatchObject([
        { type: "text", text: "The manual has a new title." },
      ]);
      expect(readmeAfter).toBe(edited);
      await expectCharged(owner, 3);
    });

    test("and is refused when its wallet ends in the middle", async () => {
      const owner = await stack.newAccount(0.05);
      /** A request that costs more than there is. */
      const spend = async () => {
        const messages = [{ role: "user", content: "x".repeat(30_000) }];
        const body = { model: "test-agent", messages, ...simulate("usage=30000,10") };
        await send(`${stack.url}/v1/chat/completions`, { key: owner.key, body });
      };
      const { error, readmeAfter } = await runLoop(owner.key, "test-claude", spend);
      expect(error).toMatchObject({
        status: 402,
        error: { error: { type: "billing_error", code: "credit_balance_exhausted" } },
      });
      expect(readmeAfter).toBe(readme);
      await expectCharged(owner, 2);
    });
  });

  describe("with codex exec", () => {
    skipWithoutAgent(findCodex);

    const steps: ScriptedStep[] = [
      { tool: "exec_command", arguments: { cmd: "cat README.md" } },
      { tool: "exec_command", arguments: { cmd: `printf '%s' "${edited}" > README.md` } },
      { text: "The manual has a new title." },
    ];
    const project = (key: string, model: string) => ({
      baseUrl: `${stack.url}/v1`,
      key,
      model,
      readme,
    });

    test.each(models)(
      "with the alias %s",
      async (model) => {
        const { stdout, readmeAfter } = await runCodex(
          project(account.key, model),
          scripted(steps),
        );
        expect(stdout).toContain("The manual has a new title.");
        expect(stdout).toContain("lighthouse keeper");
        expect(readmeAfter).toContain("harbour master");
      },
      timeoutMs,
    );

    test.each(readingModels)(
      "and views an image with the alias %s",
      async (model) => {
        const since = lastSeq();
        const { stdout } = await runCodex(
          { ...project(account.key, model), files: filesOfAgents },
          scripted([
            { tool: "view_image", arguments: { path: "pixel.png" } },
            { text: "It is a pixel." },
          ]),
        );
        expect(stdout).toContain("It is a pixel.");
        expect(mediaSentIn(stack.simulator.calls.list({ since })).png).toBe(true);
      },
      timeoutMs,
    );

    /** A program of the only tool that Codex gives to models that it knows, in a namespace. */
    const code = `
      const { output } = await tools.exec_command({ cmd: "cat README.md" });
      text(output);
      image(await tools.view_image({ path: "pixel.png" }));
      await tools.exec_command({ cmd: \`printf '%s' "${edited}" > README.md\` });`;

    test.each(Object.entries(knownModels))(
      "with the alias %s, which it knows by name",
      async (model, { provider }) => {
        const since = lastSeq();
        const input = provider === "openai" ? code : { input: code };
        const { stdout, readmeAfter } = await runCodex(
          { ...project(account.key, model), files: filesOfAgents },
          scripted([
            { tool: "functions__exec", arguments: input },
            { text: "The manual has a new title." },
          ]),
        );
        expect(stdout).not.toContain("Model metadata");
        expect(stdout).toContain("lighthouse keeper");
        expect(stdout).toContain("The manual has a new title.");
        expect(readmeAfter).toContain("harbour master");
        expect(mediaSentIn(stack.simulator.calls.list({ since })).png).toBe(true);
      },
      timeoutMs,
    );

    test.each<[string, string, Partial<CodexProject>]>([
      ["its web search switched off", "test-gpt", { settings: ['web_search = "disabled"'] }],
      ["its web search switched off", "test-small", { settings: ['web_search = "disabled"'] }],
      ["a header that is new", "test-gpt", { headers: { "x-unseen": "1" } }],
      ["its own searches of the web", "test-allows-openai-web_search", { hasNoSandbox: true }],
    ])(
      "with %s",
      async (_, model, more) => {
        const { readmeAfter } = await runCodex(
          { ...project(account.key, model), ...more },
          scripted(steps),
        );
        expect(readmeAfter).toContain("harbour master");
      },
      timeoutMs,
    );

    test(
      "and is refused by name when it searches the web itself, and its model does not allow it",
      async () => {
        const { stdout } = await runCodex(
          { ...project(account.key, "test-gpt"), hasNoSandbox: true },
          scripted(steps),
        );
        expect(stdout).toMatch(/tools\[\d+\]\.type is not supported: .* allow web_search/);
      },
      timeoutMs,
    );

    test(
      "and is refused when its wallet ends in the middle",
      async () => {
        const owner = await stack.newAccount(0.001);
        const { stdout, readmeAfter } = await runCodex(
          project(owner.key, "test-small"),
          scripted(steps),
        );
        expect(stdout).toContain("turn.failed");
        expect(readmeAfter).toBe(readme);
        const { balance, entries } = await readWalletRow(stack, owner);
        expect([balance, entries.length > 1]).toEqual([0n, true]);
      },
      timeoutMs,
    );
  });

  describe("with Claude Code", () => {
    skipWithoutAgent(findClaudeCode);

    test.each(models)(
      "with the alias %s",
      async (model) => {
        const steps: ScriptedStep[] = [
          { tool: "Read", arguments: { file_path: "README.md" } },
          {
            tool: "Edit",
            arguments: {
              file_path: "README.md",
              old_string: readme.trim(),
              new_string: edited.trim(),
            },
          },
          { text: "The manual has a new title." },
        ];
        const project = { url: stack.url, key: account.key, model, readme };
        const { stdout, readmeAfter } = await runClaudeCode(project, scripted(steps));
        expect(stdout).toContain("The manual has a new title.");
        expect(readmeAfter).toBe(edited);
      },
      timeoutMs,
    );

    test.each(readingModels)(
      "and reads an image and a PDF with the alias %s",
      async (model) => {
        const steps: ScriptedStep[] = [
          { tool: "Read", arguments: { file_path: "pixel.png" } },
          { tool: "Read", arguments: { file_path: "bill.pdf" } },
          { text: "It is a bill with a pixel." },
        ];
        const project = { url: stack.url, key: account.key, model, readme, files: filesOfAgents };
        const since = lastSeq();
        const { stdout } = await runClaudeCode(project, scripted(steps));
        expect(stdout).toContain("It is a bill with a pixel.");
        expect(mediaSentIn(stack.simulator.calls.list({ since }))).toEqual({
          png: true,
          pdf: true,
        });
      },
      timeoutMs,
    );

    test(
      "and goes on after an image and a PDF that its model does not take",
      async () => {
        const steps: ScriptedStep[] = [
          { tool: "Read", arguments: { file_path: "pixel.png" } },
          { tool: "Read", arguments: { file_path: "bill.pdf" } },
          { text: "I cannot see them." },
        ];
        const project = { url: stack.url, key: account.key, model: "test-small", readme };
        const since = lastSeq();
        const { stdout } = await runClaudeCode(
          { ...project, files: filesOfAgents },
          scripted(steps),
        );
        expect(stdout).toContain("I cannot see them.");
        const calls = stack.simulator.calls.list({ since });
        expect(mediaSentIn(calls)).toEqual({ png: false, pdf: false });
        expect(JSON.stringify(calls)).toContain("[file left out: this model does not take it]");
      },
      timeoutMs,
    );

    test(
      "with a beta and a header that are new",
      async () => {
        const before = await droppedBetas();
        const environment = {
          ANTHROPIC_BETAS: "unseen-2026-11-01",
          ANTHROPIC_CUSTOM_HEADERS: "x-unseen: 1",
        };
        const project = { url: stack.url, key: account.key, model: "test-claude", readme };
        const { stdout } = await runClaudeCode({ ...project, environment }, "Hello there");
        expect(stdout).toContain('"is_error":false');
        expect(await droppedBetas()).toBeGreaterThan(before);
        expect(JSON.stringify(stack.simulator.calls.list())).not.toContain("unseen");
      },
      timeoutMs,
    );
  });
});

const droppedBetas = () => metricSum(stack.operationsUrls, "tollgate_dropped_betas_total");
