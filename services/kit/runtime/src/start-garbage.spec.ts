import { setTimeout as sleep } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { collectStartGarbage } from "./start-garbage.ts";

it("collects what nothing refers to, and leaves no collector to the program", async () => {
  const garbage = new WeakRef({ text: "start" });
  // A WeakRef keeps its target until the end of the turn that made it.
  await sleep(0);
  collectStartGarbage();
  expect(garbage.deref()).toBeUndefined();
  expect(runInNewContext("typeof gc")).toBe("undefined");
});
