import { describe, expect, test } from "vitest";
import { sharedStack } from "../src/shared-stack.ts";
import { testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack } = await sharedStack();

describe("the tollgate command", () => {
  function tollgate(...args: string[]) {
    return runTollgate(stack.operatorAddress, testSecrets, args);
  }

  test.each([
    [["account", "create"], 2, /takes NAME/],
    [["account", "create", "x", "--credit", "-1"], 2, /credit/],
    [["account", "create", "x", "--credit", "1e3"], 2, /amount such as/],
    [["account", "create", "\u0007"], 1, /account's name/],
    [["account", "create", "x", "--admission", "lax"], 2, /likely, strict, whole or default/],
    [["account", "update", "nobody", "--admission", "strict"], 1, /No account has the id or name/],
    [["account", "update", "nobody"], 2, /--admission/],
    [["key", "create", "nobody"], 1, /No account has the id or name nobody/],
    [["key", "create", "nobody", "--colour", "red"], 2, /colour/],
    [["key", "revoke", "key_0"], 1, /No key has the id key_0/],
    [["wallet", "top-up", "nobody", "5"], 2, /--reference/],
    [["usage", "--by", "colour"], 2, /--by must be one or two of model, key, provider/],
    [["usage", "--from", "yesterday"], 2, /--from must be a date/],
    [["usage", "--account", "nobody"], 1, /No account has the id or name nobody/],
    [["usage", "--csv", "--json"], 2, /--json or --csv/],
    [["bake", "bread"], 2, /unknown command bake bread/],
    [["catalog", "check", "/nowhere.yaml"], 1, /nowhere\.yaml/],
    [["catalog", "suggest"], 2, /takes PROVIDER\/MODEL, once or more/],
    [["catalog", "suggest", "openai/gpt-5", "openai/gpt-4p"], 2, /similar names: openai\/gpt-4,/],
  ] as const)("%j is refused in one line", async (args, code, words) => {
    const response = await tollgate(...args);
    expect(response.stderr.trim().split("\n")).toEqual([expect.stringMatching(words)]);
    expect(response.code).toBe(code);
  });

  test("an overview without a period is refused, and ends no process", async () => {
    await expect(stack.operator.readOverview({})).rejects.toMatchObject({ code: "invalid_param" });
    expect((await stack.operator.listOperators({})).operators).toBeDefined();
  });

  test("checks a catalog without a gateway, and reports an unreachable gateway", async () => {
    const checked = await tollgate("catalog", "check", stack.catalogFile);
    expect(checked.stdout).toContain("models, valid");
    const incomplete = await tollgate("catalog", "check", stack.catalogFile, "--environment");
    expect([incomplete.code, incomplete.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^tollgate: providers\.[a-z]+\.api_key_env: the environment variable TEST_PROVIDER_KEY is not set\n$/,
      ),
    ]);
    const { stderr } = await runTollgate("127.0.0.1:1", {}, ["ledger", "verify"]);
    expect(stderr).toContain("no gateway responds at 127.0.0.1:1");
  });
});
