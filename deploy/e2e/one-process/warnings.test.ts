import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Code } from "@connectrpc/connect";
import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeOf, connectConsole } from "../src/console-client.ts";
import { eventually } from "../src/eventually.ts";
import { startMailStack } from "../src/mail-stack.ts";
import { memberPassword } from "../src/members.ts";
import { chatBody, send } from "../src/request.ts";
import type { SmtpServerUnderTest } from "../src/smtp-server.ts";
import { type OwnStack, testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

describe("warnings", () => {
  let stack: OwnStack;
  let smtp: SmtpServerUnderTest;
  let url = "";
  let origin: string;
  let stop: (() => Promise<void>) | undefined;
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const receiver = createServer(async (incoming, response) => {
    received.push({ headers: incoming.headers, body: await text(incoming) });
    response.writeHead(204).end();
  });

  beforeAll(async () => {
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const env = { TOLLGATE_PRIVATE_WEBHOOKS: "1" };
    ({ stack, smtp, origin, stop } = await startMailStack(env));
  });

  afterAll(async () => {
    await stop?.();
    receiver.close();
  });

  async function addMember(account: string, role: MemberRole) {
    const email = `${randomUUID()}@example.com`;
    await stack.operator.inviteMember({ account, email, role });
    const secret = await smtp.secretTo(email, "/invitation");
    const client = connectConsole(origin);
    await client.console.joinAccount({ secret, name: "Ada", password: memberPassword });
    return { ...client, email };
  }

  const run = async (...args: string[]) => {
    const output = await runTollgate(stack.operatorAddress, testSecrets, args);
    expect(output.stderr).toBe("");
    return output;
  };

  test("arrive by mail and signed webhook once a budget is spent, and say what was spent", async () => {
    const { accountId: account, keyId, key } = await stack.newAccount(1);
    const admin = await addMember(account, MemberRole.ADMIN);
    const budget = { amountNanoUsd: 100_000_000n, period: BudgetPeriod.DAY };
    await stack.operator.updateKey({ keyId, name: "ci", limits: { set: { budget } } });
    const stranger = ["warning", "channel", "add", "mail", "eve@example.com", "--account", account];
    expect((await runTollgate(stack.operatorAddress, testSecrets, stranger)).stderr).toContain(
      "must be the address of a member",
    );
    await run("warning", "channel", "add", "mail", admin.email, "--account", account);
    const added = await run(
      "warning",
      "channel",
      "add",
      "webhook",
      url,
      "--account",
      account,
      "--json",
    );
    const { id, secret } = added.json();
    await run("warning", "channel", "test", id, "--account", account);
    expect(received).toHaveLength(1);
    const body = chatBody();
    const response = await send(`${stack.url}/v1/chat/completions`, { key, body });
    expect(response.status).toBe(200);
    // What the request cost is more than this.
    const smaller = { amountNanoUsd: 1_000n, period: BudgetPeriod.DAY };
    await stack.operator.updateKey({ keyId, limits: { set: { budget: smaller } } });
    await run("warning", "set", "budget=1", "balance=0.5", "--account", account);
    await eventually(() => expect(received).toHaveLength(2));
    const [, delivered] = received;
    const headers = delivered?.headers as Record<string, string>;
    const event = new Webhook(secret).verify(delivered?.body ?? "", headers);
    expect(event).toMatchObject({
      data: { account_id: account, warnings: [{ kind: "budget", key_id: keyId }] },
    });
    await eventually(() => {
      const mails = smtp.received.filter(({ to }) => to === admin.email);
      expect(mails.at(-1)?.content).toContain("1 % of the budget of the key ci");
    });
    const { warnings } = await admin.operator.listWarnings({ onlyOpen: true });
    expect(warnings).toMatchObject([{ accountId: account, keyId }]);
    const tried = () => stack.operator.testWarningChannel({ account, channelId: id });
    // The command has made one of ten.
    for (let left = 9; left > 0; left -= 1) expect((await tried()).error).toBe("");
    await expect(tried()).rejects.toMatchObject({ code: "rate_limited" });
    const billing = await addMember(account, MemberRole.BILLING);
    expect((await billing.operator.listWarnings({})).warnings).toEqual([]);
    expect(await codeOf(billing.operator.getWarningSettings({}))).toBe(Code.PermissionDenied);
  });

  test("of the gateway begin with an invoice that is higher than what was charged", async () => {
    const { models } = await stack.operator.listModels({});
    const [slot] = models.flatMap(({ slots }) => slots);
    const { provider = "", upstreamModel = "" } = slot ?? {};
    const folder = await mkdtemp(join(tmpdir(), "tollgate-invoice-"));
    const file = join(folder, "invoice.csv");
    const checked = async (costUsd: string) => {
      await writeFile(file, `model,cost_usd\n${upstreamModel},${costUsd}\n`);
      return (await run("invoice", "check", provider, file, "2026-01")).code;
    };
    const open = async () => (await stack.operator.listWarnings({ onlyOpen: true })).warnings;
    expect(await checked("12.50")).toBe(1);
    await eventually(async () => {
      const title = `Less was charged than ${provider} was paid for 2026-01`;
      expect(await open()).toMatchObject([{ title }]);
    });
    expect(await checked("0")).toBe(0);
    await eventually(async () => expect(await open()).toEqual([]));
    const args = ["invoice", "check", "nobody", file, "2026-01"];
    const unknown = await runTollgate(stack.operatorAddress, testSecrets, args);
    expect(unknown.stderr).toContain("no model of the provider nobody");
    await rm(folder, { recursive: true });
  });
});
