import { randomUUID } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { OperatorRole, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { PaymentService } from "@tollgate/proto/tollgate/v1/payment";
import { describe, expect, test } from "vitest";
import { codeOf, connectConsole } from "../src/console-client.ts";
import { joinAs, memberPassword, type TestMember } from "../src/members.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { ADMIN, DEVELOPER, BILLING } = MemberRole;
const roles = [ADMIN, DEVELOPER, BILLING];
const keyHolders = [ADMIN, DEVELOPER];
const payers = [ADMIN, BILLING];

/** What another account has. */
interface Foreign {
  account: string;
  keyId: string;
  personId: string;
  invitationId: string;
}

/** Who may make a call, and the request that names another account; "operators" for nobody. */
type Row = [allowed: readonly MemberRole[], request: (foreign: Foreign) => object] | "operators";

const ofAccount = ({ account }: Foreign) => ({ account });
const ofKey = ({ keyId }: Foreign) => ({ keyId });
const ofMember = ({ account, personId }: Foreign) => ({ account, personId, role: ADMIN });

/** A new rpc fails the type check, and the test, until it has its row. */
const rows: Readonly<Record<keyof typeof OperatorService.method, Row>> = {
  createAccount: "operators",
  updateAccount: "operators",
  closeAccount: "operators",
  listAccounts: "operators",
  listAccountNames: "operators",
  getAccount: [roles, ofAccount],
  countAccountConversations: [roles, ofAccount],
  listSignUps: "operators",
  approveSignUp: "operators",
  refuseSignUp: "operators",
  listMembers: [[ADMIN], ofAccount],
  updateMember: [[ADMIN], ofMember],
  removeMember: [[ADMIN], ({ account, personId }) => ({ account, personId })],
  inviteMember: [[ADMIN], ({ account }) => ({ account, email: "a@example.com", role: ADMIN })],
  listInvitations: [[ADMIN], ofAccount],
  withdrawInvitation: [[ADMIN], ({ account, invitationId }) => ({ account, invitationId })],
  createKey: [keyHolders, ofAccount],
  updateKey: [keyHolders, ({ keyId }) => ({ keyId, name: "mine" })],
  rotateKey: [keyHolders, ofKey],
  listKeys: [keyHolders, ofAccount],
  getKey: [keyHolders, ofKey],
  revokeKey: [keyHolders, ofKey],
  revokeAccountKeys: [[ADMIN], ofAccount],
  updateContentDays: [[ADMIN], ofAccount],
  updateEndUsers: [[ADMIN], ofAccount],
  readWallet: [roles, ofAccount],
  topUpWallet: "operators",
  adjustWallet: "operators",
  refundRequest: "operators",
  readMonth: "operators",
  getPaymentSettings: [payers, ofAccount],
  createCheckout: [payers, ofAccount],
  getAutoTopUp: [payers, ofAccount],
  updateAutoTopUp: [payers, ofAccount],
  createCardSetup: [payers, ofAccount],
  createPortalSession: [payers, ofAccount],
  listStatements: [payers, ofAccount],
  getStatement: [payers, ofAccount],
  issueStatements: "operators",
  getBillingProfile: [payers, ofAccount],
  updateBillingProfile: [payers, ofAccount],
  createCodes: "operators",
  listCodeBatches: "operators",
  revokeCodes: "operators",
  redeemCode: [payers, ofAccount],
  listPayments: [payers, ofAccount],
  verifyPayments: "operators",
  recordInvoiceCheck: "operators",
  getWarningSettings: [[ADMIN], ofAccount],
  updateWarningRules: [[ADMIN], ofAccount],
  createWarningChannel: [[ADMIN], ofAccount],
  removeWarningChannel: [[ADMIN], ofAccount],
  testWarningChannel: [[ADMIN], ofAccount],
  listWarnings: [roles, ofAccount],
  listLedger: [payers, ofAccount],
  readUsage: [roles, ofAccount],
  verifyLedger: "operators",
  listHolds: [roles, ofAccount],
  listRequests: [keyHolders, ofAccount],
  listRefusals: [keyHolders, ofAccount],
  getRequest: [keyHolders, ({ account }) => ({ account, id: "req_0" })],
  viewRequestContent: [[ADMIN], ({ account }) => ({ account, requestId: "req_0" })],
  readOverview: [roles, ofAccount],
  readRetention: "operators",
  listPrices: [roles, ofAccount],
  listModels: "operators",
  checkCatalog: "operators",
  listCatalogRevisions: "operators",
  getCatalogRevision: "operators",
  getCatalogDiff: "operators",
  publishCatalog: "operators",
  rollBackCatalog: "operators",
  getCatalogStatus: "operators",
  updateSlot: "operators",
  testSlot: "operators",
  listProviderModels: "operators",
  setSecret: "operators",
  listSecrets: "operators",
  removeSecret: "operators",
  rekeySecrets: "operators",
  createOperator: "operators",
  updateOperator: "operators",
  listOperators: "operators",
  createSignInLink: "operators",
  removeSecondFactor: "operators",
  exportMember: "operators",
  erasePerson: "operators",
  createOperatorToken: "operators",
  listOperatorTokens: "operators",
  revokeOperatorToken: "operators",
  listAudit: "operators",
};

const noRow: Exclude<Row, "operators"> = [[], () => ({})];

const { stack } = await sharedStack();

describe("members of accounts", () => {
  function call({ operator }: TestMember, name: string, request: object): Promise<unknown> {
    const calls = operator as unknown as Record<string, (request: object) => Promise<unknown>>;
    return calls[name]?.(request) ?? Promise.reject(new Error(`no call ${name}`));
  }

  test("find nothing of another account by any call, in any role", async () => {
    const own = await stack.newAccount(0);
    const other = await stack.newAccount(0);
    const account = other.accountId;
    const admin = await joinAs(stack, account, ADMIN);
    const invited = { account, email: `${randomUUID()}@example.com`, role: BILLING };
    const { invitation } = await stack.operator.inviteMember(invited);
    const foreign = {
      ...{ account, keyId: other.keyId, personId: admin.personId },
      invitationId: invitation?.id ?? "",
    };
    for (const role of roles) {
      const member = await joinAs(stack, own.accountId, role);
      for (const { localName } of OperatorService.methods) {
        const row = rows[localName as keyof typeof rows];
        const [allowed, request] = row === "operators" ? noRow : row;
        const code = await codeOf(call(member, localName, request(foreign)));
        const expected = allowed.includes(role) ? Code.NotFound : Code.PermissionDenied;
        expect([MemberRole[role], localName, code]).toEqual([
          MemberRole[role],
          localName,
          expected,
        ]);
      }
      // Ids of another account are not found beside the own account either.
      const stray = allowedStray(role);
      for (const [name, request] of stray) {
        expect([name, await codeOf(call(member, name, request(foreign)))]).toEqual([
          name,
          Code.NotFound,
        ]);
      }
    }
    expect((await stack.operator.listMembers({ account })).members).toHaveLength(1);
    expect((await stack.operator.listInvitations({ account })).invitations).toHaveLength(1);
    expect((await stack.operator.getKey({ keyId: other.keyId })).key?.revokedAt).toBeUndefined();
  });

  test("reach no service behind the console, in any role", async () => {
    const { accountId } = await stack.newAccount(0);
    const internal = [PaymentService, CreditService, LedgerService, IdentityService];
    const methods = internal.flatMap((service): DescMethod[] => service.methods);
    for (const role of roles) {
      const { cookies } = await joinAs(stack, accountId, role);
      const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
      const headers = { origin: stack.consoleUrl, "content-type": "application/json", cookie };
      for (const method of methods) {
        const url = `${stack.consoleUrl}/${method.parent.typeName}/${method.name}`;
        const response = await fetch(url, { method: "POST", headers, body: "{}" });
        await response.arrayBuffer();
        expect([MemberRole[role], url, response.status]).toEqual([MemberRole[role], url, 404]);
      }
    }
  });

  function allowedStray(role: MemberRole): [string, (foreign: Foreign) => object][] {
    if (role !== ADMIN) return [];
    return [
      ["updateMember", ({ personId }) => ({ personId, role: ADMIN })],
      ["removeMember", ({ personId }) => ({ personId })],
      ["withdrawInvitation", ({ invitationId }) => ({ invitationId })],
    ];
  }

  test("see their own account where they name none, and a developer the own keys alone", async () => {
    const { accountId, keyId } = await stack.newAccount(1);
    const admin = await joinAs(stack, accountId, ADMIN);
    const developer = await joinAs(stack, accountId, DEVELOPER);
    const created = await developer.operator.createKey({ name: "mine" });
    expect(created.details).toMatchObject({ accountId, memberId: developer.personId });
    const idsOf = async (member: TestMember) =>
      (await member.operator.listKeys({})).keys.map(({ id }) => id);
    expect(await idsOf(admin)).toEqual([created.keyId, keyId]);
    expect(await idsOf(developer)).toEqual([created.keyId]);
    expect(await codeOf(developer.operator.getKey({ keyId }))).toBe(Code.NotFound);
    expect(await codeOf(developer.operator.revokeKey({ keyId }))).toBe(Code.NotFound);
    expect(await codeOf(developer.operator.rotateKey({ keyId }))).toBe(Code.NotFound);
    expect(await codeOf(developer.operator.updateKey({ keyId, name: "x" }))).toBe(Code.NotFound);
    expect((await admin.operator.revokeKey({ keyId })).revokedAt).toBeDefined();
    const wallet = (await developer.operator.readWallet({})).wallet;
    expect(wallet?.balanceNanoUsd).toBe(1_000_000_000n);
    const { records } = await stack.operator.listAudit({ account: accountId, limit: 1 });
    expect(records).toMatchObject([
      { action: "RevokeKey", actorKind: "member", actorId: admin.personId },
    ]);
  });

  test("of several accounts see the one to which they switch, and lose one at once", async () => {
    const [one, two, other] = await Promise.all([0, 0, 0].map(() => stack.newAccount(0)));
    const ids = [one?.accountId ?? "", two?.accountId ?? ""];
    const member = await joinAs(stack, ids[0] ?? "", DEVELOPER);
    await joinAs(stack, ids[1] ?? "", ADMIN);
    const { email, personId } = member;
    const invited = { account: ids[1] ?? "", email, role: BILLING };
    const { secret } = await stack.operator.inviteMember(invited);
    expect(await member.console.readInvitation({ secret })).toMatchObject({ email, isKnown: true });
    // Who has the link of a known person does not sign in by it.
    expect((await connectConsole(stack.consoleUrl).console.joinAccount({ secret })).operator).toBe(
      undefined,
    );
    const session = await member.console.getSession({});
    expect(session.memberships.map(({ accountId }) => accountId).sort()).toEqual(ids.toSorted());
    for (const accountId of ids) {
      await member.console.switchAccount({ accountId });
      const { account } = (await member.operator.getAccount({})).account ?? {};
      expect(account?.id).toBe(accountId);
    }
    expect(await codeOf(member.operator.listKeys({}))).toBe(Code.PermissionDenied);
    const foreign = { accountId: other?.accountId ?? "" };
    expect(await codeOf(member.console.switchAccount(foreign))).toBe(Code.NotFound);
    for (const account of ids)
      await stack.operator.removeMember({ account, personId }).catch(() => {});
    expect((await member.console.getSession({})).memberships).toEqual([]);
    expect(await codeOf(member.operator.getAccount({}))).toBe(Code.PermissionDenied);
  });

  test("sign in by address and password, and are no operators", async () => {
    const { accountId } = await stack.newAccount(0);
    const { email, personId } = await joinAs(stack, accountId, BILLING);
    const client = connectConsole(stack.consoleUrl);
    const value = { name: email.toUpperCase(), password: memberPassword };
    const { operator } = await client.console.signIn({ method: { case: "password", value } });
    expect(operator).toMatchObject({ id: personId, email, role: OperatorRole.CUSTOMER });
    const { operators } = await stack.operator.listOperators({});
    expect(operators.map(({ id }) => id)).not.toContain(personId);
  });
});
