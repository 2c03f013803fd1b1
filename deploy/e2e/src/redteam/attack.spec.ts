import { expect, test } from "vitest";
import { randomAttack } from "./attack.ts";
import type { Attacker } from "./attacker.ts";

const attacker: Attacker = {
  ...{ name: "mixes", tactic: "mixes", means: "rich", accountId: "account", keys: [], credits: 1 },
};

test("a stream that ends with its client is of a provider that takes its time, or fails", async () => {
  const paths = new Set<string>();
  for (let number = 0; number < 1_500; number += 1) {
    const { alias, body, call, departure } = await randomAttack(1, number, [attacker]);
    const isStream = body.includes('"stream":true') && call.name !== "hidden";
    if (!isStream || departure === undefined) continue;
    expect(alias).toMatch(/-(paced|stalls|waits-in-stream|closes-stream|errs-in-stream)$/);
    paths.add(`${call.name} ${call.path}`);
  }
  expect([...paths].sort()).toEqual([
    "chat /v1/chat/completions",
    "chat /v1/messages",
    "chat /v1/responses",
    "messages /v1/messages",
    "responses /v1/responses",
  ]);
});
