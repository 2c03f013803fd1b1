import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { curlOf } from "../../format/curl.ts";
import { examplesOf } from "./examples.ts";

const values = {
  gatewayUrl: "https://api.example.com",
  key: "sk-tollgate-0123456789",
  alias: "house/large-2",
};

describe("the examples", () => {
  const examples = examplesOf(values);

  test("are those of five clients", () => {
    const names = examples.map(({ name }) => name);
    expect(names).toEqual(["curl", "Python", "TypeScript", "Claude Code", "Codex"]);
  });

  test.each(examples)("$name has the address, the key and the alias", ({ steps }) => {
    const text = steps.map(({ code }) => code).join("\n");
    for (const value of Object.values(values)) expect(text).toContain(value);
  });
});

test("curl is sent the very body, whatever it quotes", () => {
  const body = { content: `it's "quoted" \\ $HOME \`id\`\nnext line` };
  const command = curlOf("https://api.example.com", "key", body);
  // The shell takes the command apart, and prints its words in place of calling curl.
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const words = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0");
  expect(words).toContain("Authorization: Bearer key");
  expect(JSON.parse(words.at(-2) ?? "")).toEqual(body);
});
