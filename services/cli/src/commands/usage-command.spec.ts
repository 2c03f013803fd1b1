import { expect, test } from "vitest";
import { UsageError } from "../help.ts";
import { usageCommand } from "./usage-command.ts";

test.each([
  "tag,model,key",
  "week",
  "model,",
  "",
])("--by %j is refused before a call", async (by) => {
  const operator = () => {
    throw new Error("a call");
  };
  const run = async () => usageCommand.run([], { by }, operator);
  await expect(run()).rejects.toThrow(UsageError);
});
