import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { chatBody, send } from "../src/request.ts";
import { fleetSecret, type Stack, startStack } from "../src/stack.ts";

const cli = fileURLToPath(import.meta.resolve("@tollgate/billing/cli/main"));

describe("the tollgate command", () => {
  let stack: Stack;
  let shownSecret = fleetSecret;

  beforeAll(async () => {
    stack = await startStack();
  });

  afterAll(() => stack.stop());

  async function tollgate(...args: string[]) {
    const env = {
      PATH: process.env.PATH,
      TOLLGATE_BILLING_ADDRESS: stack.operatorAddress,
      TOLLGATE_FLEET_SECRET: shownSecret,
    };
    const { stdout, stderr, code } = await promisify(execFile)(process.execPath, [cli, ...args], {
      env,
    }).then(
      (output) => ({ ...output, code: 0 }),
      (error) => error as { stdout: string; stderr: string; code: number },
    );
    return { code, stdout, stderr, json: () => JSON.parse(stdout) };
  }

  test("makes an account and a key that works, lists what it did, and verifies", async () => {
    const account = (
      await tollgate("account", "create", "acme", "--credit", "2.50", "--json")
    ).json();
    expect(account).toMatchObject({ name: "acme", balance_usd: "2.500000" });
    const made = (await tollgate("key", "create", "acme", "--json")).json();
    expect(made.key).toMatch(/^sk-tollgate-[A-Za-z0-9_-]{43}$/);
    const url = `${stack.url}/v1/chat/completions`;
    expect((await send(url, { key: made.key, body: chatBody() })).status).toBe(200);
    await eventually(async () => {
      const entries = (await tollgate("ledger", "list", "--account", "acme", "--json")).json();
      expect(entries.map((entry: { kind: string }) => entry.kind)).toEqual(["usage", "top_up"]);
    });
    const revoked = await tollgate("key", "revoke", made.id);
    expect(revoked.code).toBe(0);
    await expect
      .poll(async () => (await send(url, { key: made.key, body: chatBody() })).status, {
        // Without the notice it would be asked about anew after 2.5 s.
        timeout: 2_000,
      })
      .toBe(403);
    expect(await tollgate("ledger", "verify")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("no discrepancies"),
    });
  });

  test("tops up once a reference, and refuses the reference for another amount", async () => {
    await tollgate("account", "create", "saver");
    const first = await tollgate(
      "wallet",
      "top-up",
      "saver",
      "5",
      "--reference",
      "inv-1",
      "--json",
    );
    expect(first.json()).toMatchObject({ credited: true, balance_usd: "5.000000" });
    const again = await tollgate(
      "wallet",
      "top-up",
      "saver",
      "5",
      "--reference",
      "inv-1",
      "--json",
    );
    expect(again.json()).toMatchObject({ credited: false, balance_usd: "5.000000" });
    const other = await tollgate("wallet", "top-up", "saver", "6", "--reference", "inv-1");
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("another amount") });
  });

  test.each([
    [["account", "create"], 2, /takes NAME/],
    [["account", "create", "x", "--credit", "-1"], 2, /credit/],
    [["account", "create", "x", "--credit", "1e3"], 2, /amount such as/],
    [["account", "create", "\u0007"], 1, /account's name/],
    [["key", "create", "nobody"], 1, /No account has the id or name nobody/],
    [["key", "create", "nobody", "--colour", "red"], 2, /colour/],
    [["key", "revoke", "key_0"], 1, /No key has the id key_0/],
    [["wallet", "top-up", "nobody", "5"], 2, /--reference/],
    [["bake", "bread"], 2, /unknown command bake bread/],
    [["catalog", "check", "/nowhere.yaml"], 1, /nowhere\.yaml/],
  ] as const)("%j is refused in one line", async (args, code, words) => {
    const answer = await tollgate(...args);
    expect(answer.stderr.trim().split("\n")).toEqual([expect.stringMatching(words)]);
    expect(answer.code).toBe(code);
  });

  test("without the fleet's secret nothing is done, and the secret is what is asked for", async () => {
    for (shownSecret of ["", "another"]) {
      const { code, stderr } = await tollgate("account", "create", "intruder");
      expect(code).toBe(1);
      expect(stderr).toContain("set TOLLGATE_FLEET_SECRET");
    }
    shownSecret = fleetSecret;
    const { json } = await tollgate("ledger", "verify", "--json");
    expect(json()).toBeDefined();
    const made = await tollgate("account", "create", "intruder");
    expect(made.code).toBe(0);
  });

  test("checks a catalog without a gateway, and says where to find one otherwise", async () => {
    const checked = await tollgate("catalog", "check", stack.catalogFile);
    expect(checked.stdout).toContain("models, valid");
    const { stderr } = await promisify(execFile)(process.execPath, [cli, "ledger", "verify"], {
      env: { PATH: process.env.PATH, TOLLGATE_BILLING_ADDRESS: "127.0.0.1:1" },
    }).catch((error: unknown) => error as { stderr: string });
    expect(stderr).toContain("no gateway responds at 127.0.0.1:1");
  });
});
