import { randomUUID } from "node:crypto";
import { freePort } from "@tollgate/local/free-port";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { WarningChannelKind, WarningKind } from "@tollgate/proto/tollgate/v1/warning";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectConsole } from "../src/console-client.ts";
import { findMailpit, type Mailpit, type ParsedMail, startMailpit } from "../src/mailpit.ts";
import { memberPassword as password } from "../src/members.ts";
import { type OwnStack, startStack } from "../src/stack.ts";

const usd = 1_000_000_000n;
const program = await findMailpit();
const name = "mail, as a mail server parses it";

if (program === undefined) describe.skip(`${name}: needs Go, which builds Mailpit`, () => {});
else describe(name, () => tests(program));

function tests(found: string): void {
  let mailpit: Mailpit;
  let stack: OwnStack;
  let origin: string;

  beforeAll(async () => {
    mailpit = await startMailpit(found);
    const listen = `127.0.0.1:${await freePort()}`;
    origin = `http://${listen}`;
    stack = await startStack({
      TOLLGATE_SMTP_URL: mailpit.smtpUrl,
      TOLLGATE_MAIL_FROM: "Tollgate Zürich <no-reply@tollgate.example>",
      TOLLGATE_IDENTITY_KEY: randomUUID().repeat(2),
      TOLLGATE_CONSOLE_LISTEN: listen,
      TOLLGATE_CONSOLE_URL: origin,
      TOLLGATE_SIGNUP: "open",
    });
  });

  afterAll(async () => {
    await stack?.stop();
    mailpit?.stop();
  });

  const newAddress = () => `${randomUUID()}@${randomUUID()}.example`;

  /** Opens the link of a mail, which a browser finds at a page of the console. Resolves with its secret. */
  async function follow({ Text }: ParsedMail, path: string): Promise<string> {
    const [, url = ""] = new RegExp(`^(${origin}${path}#[\\w-]{43})$`, "m").exec(Text) ?? [];
    const { hash } = new URL(url);
    const page = await fetch(url);
    expect([page.status, page.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/html"),
    ]);
    return hash.slice(1);
  }

  async function expectHeaders(mail: ParsedMail, address: string): Promise<void> {
    expect(mail).toMatchObject({
      From: { Name: "Tollgate Zürich", Address: "no-reply@tollgate.example" },
      To: [{ Address: address }],
      MessageID: expect.stringMatching(/^message_\w+@tollgate\.example$/),
      HTML: "",
    });
    const headers = await mailpit.headersOf(mail);
    expect(headers).toMatchObject({
      "Auto-Submitted": ["auto-generated"],
      "Content-Type": ["text/plain; charset=utf-8"],
      "Mime-Version": ["1.0"],
    });
    expect(Date.parse(headers.Date?.[0] ?? "")).toBeGreaterThan(Date.now() - 3_600_000);
    for (const values of Object.values(headers)) {
      for (const value of values) expect(value).not.toMatch(/[\r\n]/);
    }
  }

  test("an invitation names an account in any script, and its link makes a member", async () => {
    const account = `Zürich 東京 ${randomUUID().slice(0, 8)}`;
    await stack.operator.createAccount({ name: account });
    const email = newAddress();
    await stack.operator.inviteMember({ account, email, role: MemberRole.BILLING });
    const mail = await mailpit.mailTo(email, /\/invitation#/);
    await expectHeaders(mail, email);
    expect(mail.Subject).toBe(`You are invited to ${account} at ${new URL(origin).host}`);
    expect(mail.Text).toContain(`You are invited to the account ${account}.`);
    const secret = await follow(mail, "/invitation");
    const client = connectConsole(origin);
    const { operator } = await client.console.joinAccount({ secret, name: "Zoë", password });
    expect(operator).toMatchObject({ name: "Zoë", email });
  });

  test("the links of a sign-up and of a reset work, and a warning arrives", async () => {
    const email = newAddress();
    const { console, operator } = connectConsole(origin);
    await console.signUp({ email, accountName: `Ærø ${randomUUID()}`, acceptsTerms: true });
    const confirmation = await mailpit.mailTo(email, /\/sign-up#/);
    await expectHeaders(confirmation, email);
    const secret = await follow(confirmation, "/sign-up");
    await console.confirmSignUp({ secret, name: "Ærlig", password });

    await console.resetPassword({ email });
    const reset = await mailpit.mailTo(email, /\/reset#/);
    await expectHeaders(reset, email);
    const method = { case: "linkSecret", value: await follow(reset, "/reset") } as const;
    const { operator: signedIn } = await connectConsole(origin).console.signIn({ method });
    expect(signedIn).toMatchObject({ email });

    await operator.createWarningChannel({ kind: WarningChannelKind.MAIL, target: email });
    const rules = { rules: [{ kind: WarningKind.BALANCE, threshold: 5n * usd }] };
    await operator.updateWarningRules({ rules });
    const warning = await mailpit.mailTo(email, /\/warnings$/m);
    await expectHeaders(warning, email);
    expect(warning.Subject).toContain("The balance is below 5.000000 USD");
    expect(warning.Text).toContain(`${origin}/warnings`);
    const ids = [confirmation, reset, warning].map(({ MessageID }) => MessageID);
    expect(new Set(ids).size).toBe(3);
  });
}
