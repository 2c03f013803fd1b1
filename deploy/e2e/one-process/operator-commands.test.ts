import { randomUUID } from "node:crypto";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { codeOf, connectConsole } from "../src/console-client.ts";
import { memberPassword } from "../src/members.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack } = await sharedStack();

describe("the commands of operators", () => {
  function tollgate(...args: string[]) {
    return runTollgate(stack.operatorAddress, testSecrets, args);
  }

  /** Runs a command that can reach nothing but the console. */
  function remote(token: string, ...args: string[]) {
    const server = ["--server", stack.consoleUrl, "--token", token];
    return runTollgate("127.0.0.1:1", {}, [...args, ...server]);
  }

  test("an operator is created with a link that signs in, listed, and disabled", async () => {
    const name = `ada-${randomUUID()}`;
    const created = await tollgate("operator", "create", name, "--role", "viewer", "--json");
    const { id, link } = created.json() as { id: string; link: string };
    const [, secret = ""] = link.split("/sign-in#");
    const { console, operator } = connectConsole(stack.consoleUrl);
    await console.signIn({ method: { case: "linkSecret", value: secret } });
    expect(await codeOf(operator.listAccounts({}))).toBeUndefined();
    const { operators } = (await tollgate("operator", "list", "--json")).json();
    expect(operators).toContainEqual(expect.objectContaining({ id, name, role: "viewer" }));
    expect((await tollgate("operator", "link", name)).stdout).toMatch(/\/sign-in#[\w-]{43}$/m);
    expect((await tollgate("operator", "disable", name)).code).toBe(0);
    expect(await codeOf(operator.listAccounts({}))).toBe(Code.Unauthenticated);
    const { records } = (await tollgate("audit", "list", "--json")).json();
    expect(records).toContainEqual(
      expect.objectContaining({ action: "UpdateOperator", subject: { kind: "operator", id } }),
    );
  });

  test("the members of an account are invited, changed and removed, and it is bounded, frozen and closed", async () => {
    const { accountId: account } = await stack.newAccount(1);
    const email = `${randomUUID()}@example.com`;
    const invited = await tollgate("member", "invite", account, email, "--role", "admin", "--json");
    const secret = (invited.json() as { path: string }).path.replace("/invitation#", "");
    const { console, operator } = connectConsole(stack.consoleUrl);
    await console.joinAccount({ secret, name: "Ada", password: memberPassword });
    const { members } = (await tollgate("member", "list", account, "--json")).json();
    expect(members).toMatchObject([{ email, name: "Ada", role: "admin" }]);
    const bounds = ["--max-keys", "2", "--models", "test-*", "--rpm", "5"];
    expect((await tollgate("account", "bounds", account, ...bounds)).stdout).toBe(
      "members have at most 2 keys with limits for test-*\n",
    );
    expect((await operator.createKey({})).details?.limits?.limits?.requestsPerMinute).toBe(5);
    const personId = members[0].person_id;
    expect((await tollgate("member", "remove", account, personId)).stderr).toContain("last admin");
    const freeze = await tollgate("account", "freeze", account, "--json");
    expect(freeze.json()).toEqual({ id: account, frozen_at: expect.any(String) });
    expect((await tollgate("account", "unfreeze", account)).stdout).toContain("is not frozen");
    expect((await tollgate("account", "revoke-keys", account)).stdout).toBe("revoked 2 keys\n");
    expect((await tollgate("account", "close", account)).stdout).toContain("is closed");
    // A person without another account is deleted with it.
    expect(await codeOf(operator.getAccount({}))).toBe(Code.Unauthenticated);
    expect((await tollgate("sign-up", "list")).code).toBe(0);
  });

  test("every command works from anywhere over the console, with a token of its role", async () => {
    const args = ["operator", "token", "create", "ci", "--role", "operator", "--expires", "1d"];
    const created = (await tollgate(...args, "--json")).json() as Record<string, string>;
    const { id = "", token = "" } = created;
    const name = randomUUID();
    const account = await remote(token, "account", "create", name, "--credit", "2.50", "--json");
    expect(account.json()).toMatchObject({ name, balance_usd: "2.500000" });
    const topUp = ["wallet", "top-up", name, "1", "--reference", "r-1"];
    expect((await remote(token, ...topUp)).stdout).toContain("balance 3.500000 USD");
    const verified = await remote(token, "ledger", "verify");
    expect(verified.stdout).toContain("no discrepancies");
    const { records } = (await tollgate("audit", "list", "--account", name, "--json")).json();
    expect(records).toMatchObject([
      { action: "TopUpWallet", actor: { kind: "token", id, name: "ci" } },
      { action: "CreateAccount", actor: { kind: "token", id, name: "ci" } },
    ]);
    expect(await remote(token, "operator", "link")).toMatchObject({
      code: 1,
      stderr: "tollgate: This call needs the role owner.\n",
    });
    expect((await remote(token, "account", "show", "nobody")).stderr).toBe(
      "tollgate: No account has the id or name nobody.\n",
    );
    expect((await tollgate("operator", "token", "revoke", id)).code).toBe(0);
    const { tokens } = (await tollgate("operator", "token", "list", "--json")).json();
    const revoked = expect.objectContaining({ id, revoked_at: expect.any(String) });
    expect(tokens).toContainEqual(revoked);
    expect((await remote(token, "account", "list")).stderr).toMatch(/valid operator token/);
  });

  test("a server without a token, or without a console, is refused in one line", async () => {
    const noToken = await tollgate("account", "list", "--server", stack.consoleUrl);
    expect(noToken).toMatchObject({ code: 2, stderr: expect.stringContaining("TOLLGATE_TOKEN") });
    const server = ["--server", "http://127.0.0.1:1", "--token", "x"];
    expect(await tollgate("account", "list", ...server)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^tollgate: no console responds at http:\/\/127.0.0.1:1: .+\n$/,
      ),
    });
    const edge = ["--server", stack.url, "--token", "x"];
    expect((await tollgate("account", "list", ...edge)).code).toBe(1);
  });
});
