import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { formatUsd } from "@tollgate/core/money";
import { BudgetPeriod, LimitKind } from "@tollgate/proto/tollgate/v1/limits";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { chatBody, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { type Stack, testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack, expectBooks } = await sharedStack();

/** A busy machine takes seconds for each command. */
const timeout = 240_000;

describe("the commands of keys, accounts and wallets", { timeout }, () => {
  function tollgate(...args: string[]) {
    return runTollgate(stack.operatorAddress, testSecrets, args);
  }

  async function json(...args: string[]) {
    const output = await tollgate(...args, "--json");
    expect(output.stderr).toBe("");
    return output.json();
  }

  /**
   * Runs a list, and then the command that the last line of each page names, as a shell takes it. Resolves with
   * what matches in the lines of each page.
   */
  async function pagesOf(row: RegExp, ...args: string[]): Promise<string[][]> {
    const { stdout } = await tollgate(...args);
    const [page = "", next] = stdout.split(/^more: (?:npx )?tollgate /m);
    const rows = page.split("\n").flatMap((line) => row.exec(line)?.[0] ?? []);
    if (next === undefined) return [rows];
    const words = await promisify(execFile)("sh", ["-c", `printf '%s\\n' ${next}`]);
    return [rows, ...(await pagesOf(row, ...words.stdout.trimEnd().split("\n")))];
  }

  async function newAccount(creditNanoUsd = 5_000_000_000n) {
    const name = randomUUID();
    await stack.operator.createAccount({ name, creditNanoUsd });
    return name;
  }

  async function statusOf(key: string): Promise<number> {
    const { status } = await send(`${stack.url}/v1/credits`, { key });
    return status;
  }

  test("a key has the policy and the limits that it was created with, and changes one by one", async () => {
    const account = await newAccount();
    const policy = ["--name", "build", "--owner", "ada", "--tag", "ci", "--tag", "night"];
    const limits = ["--budget", "1.50/day", "--rpm", "60", "--tpm", "9000", "--parallel", "4"];
    const models = ["--models", "test-*,other", "--expires", "2099-01-01"];
    const created = await json("key", "create", account, ...policy, ...limits, ...models);
    const expected = {
      id: created.id,
      name: "build",
      owner: "ada",
      tags: ["ci", "night"],
      models: ["test-*", "other"],
      state: "active",
      expires_at: "2099-01-01T00:00:00.000Z",
      limits: {
        budget: {
          limit_usd: "1.500000",
          period: "day",
          spent_usd: "0.000000",
          held_usd: "0.000000",
          resets_at: expect.any(String),
        },
        requests_per_minute: { limit: 60, used: 0 },
        tokens_per_minute: { limit: 9_000, used: 0 },
        parallel: { limit: 4, used: 0 },
      },
    };
    expect(created).toMatchObject({ ...expected, key: expect.stringMatching(/^sk-tollgate-/) });
    const changes = ["--budget", "none", "--rpm", "120", "--expires", "never", "--models", "all"];
    expect(await json("key", "update", created.id, ...changes, "--tag", "day")).toMatchObject({
      name: "build",
      tags: ["day"],
      models: [],
      expires_at: null,
      limits: {
        budget: null,
        requests_per_minute: { limit: 120 },
        tokens_per_minute: { limit: 9_000 },
      },
    });
    const none = ["--rpm", "none", "--tpm", "none", "--parallel", "none"];
    expect(await json("key", "update", created.id, ...none)).toMatchObject({ limits: null });
    const { stdout } = await tollgate("key", "show", created.id);
    expect(stdout).toMatch(/name: build\nkey: \S+…\S+\nowner: ada\ntags: day\nmodels: all\n/);
    expect(stdout).toContain("limits: none");
    expect(stdout).not.toContain(created.key);
  });

  test("a key is found by its text, which nothing shows, with its last use and what it has spent", async () => {
    const account = await newAccount();
    const { keyId, key } = await stack.operator.createKey({ account, name: "lost" });
    const find = async (text: string) =>
      runTollgate(stack.operatorAddress, testSecrets, ["key", "find", "-"], text);
    expect((await find(`${key}\n`)).stdout).toContain("last used: never");
    const { body } = await send(`${stack.url}/v1/chat/completions`, { key, body: chatBody() });
    const { usage } = body as { usage: { cost: number } };
    const cost = formatUsd(nanoUsd(usage.cost));
    const { stdout, stderr } = await eventually(
      async () => {
        const found = await find(key);
        expect(found.stdout).toContain(`charged this month: ${cost} USD`);
        expect(found.stdout).toMatch(/last used: 20\d\d-/);
        return found;
      },
      { timeout: 60_000 },
    );
    expect(stdout).toContain(`key ${keyId} `);
    expect(stdout).toContain(`key: ${key.slice(0, 16)}…${key.slice(-4)}`);
    expect(stdout + stderr).not.toContain(key);
    const unknown = await find(`${key}x`);
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toContain("No key has this text.");
    expect(unknown.stderr).not.toContain(key);
  });

  test("changes of the limits of one key at the same time are all made, or refused as a whole", async () => {
    const { keyId } = await stack.operator.createKey({ account: await newAccount() });
    const { operator } = stack;
    await Promise.all([
      operator.updateKey({ keyId, limits: { set: { requestsPerMinute: 60 } } }),
      operator.updateKey({ keyId, limits: { set: { tokensPerMinute: 900n } } }),
      operator.updateKey({ keyId, limits: { set: { parallel: 4 } } }),
    ]);
    const limits = { requestsPerMinute: 60, tokensPerMinute: 900n, parallel: 4 };
    const { key } = await operator.getKey({ keyId });
    expect(key?.limits?.limits).toMatchObject(limits);
    const wrong = { keyId, name: "renamed", limits: { set: { parallel: 0 } } };
    await expect(operator.updateKey(wrong)).rejects.toMatchObject({ code: "invalid_param" });
    const unnamed = { keyId, name: "renamed", limits: { remove: [LimitKind.UNSPECIFIED] } };
    await expect(operator.updateKey(unnamed)).rejects.toMatchObject({ param: "limits.remove" });
    const { key: unchanged } = await operator.getKey({ keyId });
    expect(unchanged).toMatchObject({ name: "", limits: { limits } });
  });

  test("lists show the newest first, a page at a time, in a table or as JSON", async () => {
    const account = randomUUID();
    await json("account", "create", account, "--budget", "12.5/month", "--rpm", "600");
    const budget = { amountNanoUsd: 1_000_000_000n, period: BudgetPeriod.WEEK };
    const ids: string[] = [];
    for (const name of ["one", "two", "three"]) {
      const limits = { budget, parallel: 3 };
      ids.unshift((await stack.operator.createKey({ account, name, limits })).keyId);
    }
    const [, second, first] = ids;
    const { stdout } = await tollgate("key", "list", account, "--limit", "2");
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID +NAME +KEY +STATE +BUDGET +PARALLEL$/);
    expect(lines[1]).toMatch(
      /^key_\w{32} {2}three {2}sk-tollgate-\S{4}…\S{4} {2}active {2}0\.00 of 1\.00 USD\/week {2} +3$/,
    );
    expect(lines[3]).toMatch(`tollgate key list ${account} --limit 2 --before ${second}`);
    const rest = await json("key", "list", account, "--limit", "2", "--before", String(second));
    expect(rest).toMatchObject({ keys: [{ id: first, name: "one" }], has_more: false, next: null });
    const { accounts } = await json("account", "list", "--limit", "1");
    const limits = {
      budget: { limit_usd: "12.500000", period: "month" },
      requests_per_minute: { limit: 600 },
    };
    const expected = { name: account, active_keys: 3, balance_usd: "0.000000", limits };
    expect(accounts).toMatchObject([expected]);
    const { stdout: shown } = await tollgate("account", "show", account);
    expect(shown).toContain("budget: 0.00 of 12.50 USD/month (resets ");
    expect(shown).toContain("active keys: 3");
    const zone = await json("account", "update", account, "--time-zone", "Asia/Tokyo");
    expect(zone).toMatchObject({ time_zone: "Asia/Tokyo", limits });
    const { stdout: zoned } = await tollgate("account", "show", account);
    expect(zoned).toContain("time zone of budgets: Asia/Tokyo");
    const unknown = await tollgate("account", "update", account, "--time-zone", "Tokyo");
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("an IANA name") });
    const none = ["--budget", "none", "--rpm", "none"];
    expect(await json("account", "update", account, ...none)).toMatchObject({ limits: null });
  });

  test("the line of the next page continues in the order and with the filters of the first", async () => {
    const account = randomUUID();
    await stack.operator.createAccount({ name: account });
    for (const name of ["nightly b", "spare", "nightly c", "nightly a"]) {
      await stack.operator.createKey({ account, name });
    }
    const search = ["--search", "NIGHTLY ", "--order", "name", "--limit", "2"];
    expect(await pagesOf(/nightly ./, "key", "list", account, ...search)).toEqual([
      ["nightly a", "nightly b"],
      ["nightly c"],
    ]);
    const amounts = [3n, 1n, 2n];
    for (const usd of amounts) {
      const topUp = { amountNanoUsd: usd * 1_000_000_000n, reference: `invoice-${usd}` };
      await stack.operator.topUpWallet({ account, ...topUp });
    }
    const ofTopUps = ["--account", account, "--kind", "top_up", "--order", "oldest"];
    const pages = await pagesOf(/invoice-./, "ledger", "list", ...ofTopUps, "--limit", "1");
    expect(pages.flat()).toEqual(["invoice-3", "invoice-1", "invoice-2"]);
  });

  test("after a rotation the old text works until its grace has ended, and the id stays", async () => {
    const account = await newAccount();
    const { keyId, key: first } = await stack.operator.createKey({ account });
    const { key: second, ...rotated } = await json("key", "rotate", keyId);
    expect(rotated).toMatchObject({ id: keyId, state: "active", rotated_at: expect.any(String) });
    const graceMs = Date.parse(rotated.replaced_expires_at) - Date.parse(rotated.rotated_at);
    expect(graceMs).toBe(24 * 60 * 60 * 1_000);
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    const { key: third } = await json("key", "rotate", keyId, "--grace", "0");
    await eventually(async () => {
      expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401]);
    });
    expect(await statusOf(third)).toBe(200);
    await stack.operator.revokeKey({ keyId });
    await eventually(async () => expect(await statusOf(third)).toBe(403));
    const refused = { message: `The key ${keyId} is revoked, and cannot be changed.` };
    await expect(stack.operator.rotateKey({ keyId })).rejects.toMatchObject(refused);
    await expect(stack.operator.updateKey({ keyId, name: "n" })).rejects.toMatchObject(refused);
  });

  test("a wallet is corrected with a reason, once for each reference, and never below what is available", async () => {
    const account = await newAccount();
    const why = ["--reason", "a refund", "--reference", "one"];
    const down = await json("wallet", "adjust", account, "-1.25", ...why);
    expect(down).toMatchObject({ adjusted: true, balance_usd: "3.750000" });
    const refund = { account, reason: "a refund", reference: "one" };
    const again = await stack.operator.adjustWallet({ ...refund, amountNanoUsd: -1_250_000_000n });
    expect(again.adjusted).toBe(false);
    const more = await tollgate(
      "wallet",
      "adjust",
      account,
      "-3.750001",
      ...why.slice(0, 3),
      "two",
    );
    expect([more.code, more.stderr]).toEqual([1, expect.stringContaining("3.750000")]);
    const { stdout } = await tollgate("wallet", "show", account);
    expect(stdout).toContain("balance:   3.750000 USD\n");
    const { entries } = await json("ledger", "list", "--account", account);
    expect(entries).toMatchObject([
      { kind: "adjustment", amount_usd: "-1.250000", reference: "one", reason: "a refund" },
      { kind: "top_up" },
    ]);
    await expectBooks();
  });

  test.each<[Parameters<Stack["operator"]["createKey"]>[0], string]>([
    [{ expiresAt: { seconds: 1_600_000_000n } }, "expires_at must be in the future"],
    [{ tags: ["two words"] }, "tags must have members of 1 to 64 characters"],
    [{ name: "n".repeat(129) }, "name must have at most 128 characters"],
    [{ models: Array.from({ length: 101 }, () => "m") }, "models must have at most 100 members"],
  ])("a key with an invalid policy is refused: %#", async (policy, message) => {
    const account = await newAccount();
    await expect(stack.operator.createKey({ account, ...policy })).rejects.toMatchObject({
      code: "invalid_param",
      message: expect.stringContaining(message),
    });
  });
});
