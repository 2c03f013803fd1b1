import { scripted } from "@tollgate/simulator/chat/script";
import { describe, expect, test } from "vitest";
import { filesOfAgents, mediaSentIn } from "../src/agent-files.ts";
import { readingModels } from "../src/catalog/agents.ts";
import { eventually } from "../src/eventually.ts";
import { readWalletRow } from "../src/ledger.ts";
import { findOpencode, type OpencodeEvent, runOpencode } from "../src/opencode.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { skipWithoutAgent } from "../src/skip-without-agent.ts";

/** Includes the installation at the first run on a machine. */
const timeoutMs = 300_000;

const { stack, account } = await sharedStack();

describe("opencode, unmodified, with an openai-compatible provider", () => {
  skipWithoutAgent(findOpencode);

  const readme = "# The lighthouse keeper's manual\n";
  function project(more: { tools?: string[] } = {}) {
    const { key } = account;
    return { baseUrl: `${stack.url}/v1`, key, model: "test-small", readme, ...more };
  }

  function toolUses(events: readonly OpencodeEvent[]) {
    return events.flatMap(({ type, part }) => (type === "tool_use" && part ? [part] : []));
  }

  test(
    "calls a tool, sends its result, prints the response, and every request is charged",
    async () => {
      const events = await runOpencode(project(), "What is in the readme?");
      expect(events.filter(({ type }) => type === "error")).toEqual([]);
      expect(toolUses(events)).toMatchObject([
        {
          tool: "read",
          state: {
            status: "completed",
            input: { filePath: "README.md" },
            output: expect.stringContaining("lighthouse keeper"),
          },
        },
      ]);
      const text = events.findLast(({ type }) => type === "text")?.part?.text;
      expect(text).toContain("lighthouse keeper");
      await eventually(async () => {
        const { entries, held } = await readWalletRow(stack, account);
        const charges = entries.filter(({ amount }) => amount < 0n);
        expect([charges.length, held]).toEqual([stack.simulator.calls.list().length, 0n]);
      });
    },
    timeoutMs,
  );

  test.each(readingModels)(
    "reads an image and a PDF with the alias %s",
    async (model) => {
      const since = stack.simulator.calls.list().at(-1)?.seq ?? 0;
      const events = await runOpencode(
        { ...project(), model, files: filesOfAgents },
        scripted([
          { tool: "read", arguments: { filePath: "pixel.png" } },
          { tool: "read", arguments: { filePath: "bill.pdf" } },
          { text: "It is a bill with a pixel." },
        ]),
      );
      expect(events.filter(({ type }) => type === "error")).toEqual([]);
      expect(toolUses(events)).toHaveLength(2);
      const text = events.findLast(({ type }) => type === "text")?.part?.text;
      expect(text).toBe("It is a bill with a pixel.");
      expect(mediaSentIn(stack.simulator.calls.list({ since }))).toEqual({ png: true, pdf: true });
    },
    timeoutMs,
  );

  test(
    "is served with a header that the gateway has never seen",
    async () => {
      const unseen = { ...project(), headers: { "x-unseen": "1" } };
      const events = await runOpencode(unseen, "What is in the readme?");
      expect(events.filter(({ type }) => type === "error")).toEqual([]);
      expect(toolUses(events)).toHaveLength(1);
    },
    timeoutMs,
  );

  test(
    "sends the verbosity that the catalog passes",
    async () => {
      const passing = {
        ...project(),
        model: "test-passing",
        modelOptions: { textVerbosity: "low" },
      };
      const events = await runOpencode(passing, "What is in the readme?");
      expect(events.filter(({ type }) => type === "error")).toEqual([]);
      expect(stack.simulator.calls.list()).toContainEqual(
        expect.objectContaining({ body: expect.objectContaining({ verbosity: "low" }) }),
      );
    },
    timeoutMs,
  );

  test(
    "runs a harmless command when it has only bash",
    async () => {
      const events = await runOpencode(project({ tools: ["bash"] }), "Do something");
      expect(toolUses(events)).toMatchObject([
        { tool: "bash", state: { status: "completed", input: { command: "echo hello" } } },
      ]);
    },
    timeoutMs,
  );
});
