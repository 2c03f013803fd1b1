import { create } from "@bufbuild/protobuf";
import { ActorSchema } from "@tollgate/proto/tollgate/v1/identity";
import { expect, test } from "vitest";
import { createPlaygroundKeys } from "./playground-keys.ts";

const ada = create(ActorSchema, { kind: "member", id: "ada" });
const bob = create(ActorSchema, { kind: "member", id: "bob" });

function createKeys({ fails = 0 } = {}) {
  let issued = 0;
  let nowMs = 0;
  const keys = createPlaygroundKeys(
    {
      async issuePlaygroundKey() {
        issued += 1;
        if (issued <= fails) throw new Error("billing is away");
        return { key: `key ${issued}` } as never;
      },
    },
    { dailyBudgetNanoUsd: 1n, nowMs: () => nowMs },
  );
  return { keys, pass: (ms: number) => (nowMs += ms) };
}

test("a text is reused for five minutes, by one person in one account", async () => {
  const { keys, pass } = createKeys();
  expect(await Promise.all([keys.find(ada, "a"), keys.find(ada, "a")])).toEqual(["key 1", "key 1"]);
  expect(await keys.find(bob, "a")).toBe("key 2");
  expect(await keys.find(ada, "b")).toBe("key 3");
  pass(5 * 60_000 - 1);
  expect(await keys.find(ada, "a")).toBe("key 1");
  pass(1);
  expect(await keys.find(ada, "a")).toBe("key 4");
});

test("a text that is forgotten, or could not be issued, is issued again", async () => {
  const { keys } = createKeys({ fails: 1 });
  await expect(keys.find(ada, "a")).rejects.toThrow("billing is away");
  expect(await keys.find(ada, "a")).toBe("key 2");
  keys.forget(ada, "a");
  expect(await keys.find(ada, "a")).toBe("key 3");
});
