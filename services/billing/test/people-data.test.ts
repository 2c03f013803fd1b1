import { randomBytes, randomUUID } from "node:crypto";
import { newId } from "@tollgate/core/ids";
import type { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import type { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { OperatorRole, type OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { WarningChannelKind } from "@tollgate/proto/tollgate/v1/warning";
import type { Client } from "@tollgate/rpc/implementation";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount } from "../src/accounts.ts";
import { recordChange } from "../src/audit.ts";
import type { PrismaClient } from "../src/generated/client.ts";
import { createSealer } from "../src/sealing.ts";
import { createChannel, openTarget } from "../src/warnings/channels.ts";
import { hashOf, startIdentity } from "./identity-under-test.ts";

const password = "correct horse battery";
const sealer = createSealer(randomUUID());
const { VIEWER } = OperatorRole;

describe("the data of people", () => {
  let prisma: PrismaClient;
  let identity: Client<typeof IdentityService>;
  let operators: Client<typeof OperatorService>;
  let stop: () => Promise<void>;
  const deletedOf: string[] = [];

  beforeAll(async () => {
    const conversations = {
      countConversations: async () => ({ conversations: 1 }),
      deleteConversations: async ({ caller }: { caller?: { keyId?: string } }) => {
        deletedOf.push(caller?.keyId ?? "");
        return {};
      },
    } as unknown as Client<typeof ConversationService>;
    const parts = { conversations, sealer };
    ({ prisma, identity, operators, stop } = await startIdentity(() => new Date(), parts));
  });

  afterAll(() => stop());

  async function newAccount() {
    const name = `account of ${randomUUID()}`;
    return (await createAccount(prisma, { name, admission: "" }, async () => false)).id;
  }

  /** Makes the reader of an address a member. Resolves with the person and the session. */
  async function join(account: string, email: string) {
    const { secret } = await operators.inviteMember({ account, email, role: MemberRole.ADMIN });
    const sessionHash = new Uint8Array(randomBytes(32));
    const request = { secretHash: hashOf(secret), sessionHash, name: `Zoë ${email}`, password };
    const { identity: joined } = await identity.acceptInvitation(request);
    return { personId: joined?.actor?.id ?? "", sessionHash };
  }

  const newAddress = () => `${randomUUID()}@example.com`;
  const rowOf = (id: string) => prisma.operator.findUniqueOrThrow({ where: { id } });

  test("a member exports the own data, without secrets", async () => {
    const account = await newAccount();
    const email = newAddress();
    const { personId, sessionHash } = await join(account, email);
    await join(account, newAddress());
    await identity.changePassword({
      sessionHash,
      presentPassword: password,
      newPassword: password,
    });
    const { document, nextAct } = await identity.exportPerson({ sessionHash });
    expect(nextAct).toBe("");
    const data = JSON.parse(document);
    expect(data).toMatchObject({
      person: { id: personId, email, name: `Zoë ${email}`, has_password: true },
      memberships: [{ account_id: account, role: "admin", origin: "invitation" }],
      sessions: [{ method: "password" }],
    });
    const actions = data.acts.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(["SetPassword", "AcceptInvitation"]);
    const { passwordHash } = await rowOf(personId);
    expect(document).not.toContain(passwordHash);
    expect(document.match(/@example\.com/g)).toHaveLength(3);
  });

  test("all acts of a person are exported, in parts of 1,000", async () => {
    const account = await newAccount();
    const { personId, sessionHash } = await join(account, newAddress());
    // One statement: Prisma would write each column of each row as a parameter.
    await prisma.$executeRaw`
      INSERT INTO audit_record (id, actor_kind, actor_id, actor_name, action, subject_kind, subject_id,
        before, after)
      SELECT ${`${newId("audit")}_`} || lpad(n::text, 4, '0'), 'member', ${personId}, '', 'UpdateKey', 'key',
        'key_' || n, '{}', '{}'
      FROM generate_series(1, 2500) AS n`;
    const subjects: string[] = [];
    const counts: number[] = [];
    let beforeAct = "";
    do {
      const part = await identity.exportPerson({ sessionHash, beforeAct });
      const { acts, person } = JSON.parse(part.document);
      expect(person?.id).toBe(beforeAct === "" ? personId : undefined);
      counts.push(acts.length);
      subjects.push(...acts.map((one: { subject_id: string }) => one.subject_id));
      beforeAct = part.nextAct;
    } while (beforeAct !== "");
    // The first act of all accepted the invitation.
    expect(counts).toEqual([1_000, 1_000, 501]);
    expect(new Set(subjects).size).toBe(2_501);
  });

  test("an operator deletes what is stored of a person who has left, and of no other", async () => {
    const account = await newAccount();
    const [email, other] = [newAddress(), newAddress()];
    const { personId } = await join(account, other).then(() => join(account, email));
    const erase = () => operators.erasePerson({ personId });
    await expect(erase()).rejects.toMatchObject({ code: "invalid_param", param: "person_id" });
    const keyId = `key_${randomUUID()}`;
    const owned = { accountId: account, memberId: personId, channel: "", owner: email };
    await prisma.apiKey.create({ data: { id: keyId, ...owned } });
    const mail = { kind: WarningChannelKind.MAIL, accountId: account };
    for (const target of [email, other]) {
      await createChannel(prisma, sealer, { ...mail, target }, new Date());
    }
    const formerKey = createSealer(randomUUID());
    const unreadable = await createChannel(
      prisma,
      formerKey,
      { ...mail, target: other },
      new Date(),
    );
    await operators.removeMember({ account, personId });
    await operators.inviteMember({ account, email, role: MemberRole.BILLING });
    await erase();
    const row = await rowOf(personId);
    expect(row).toMatchObject({ name: "", email: "", passwordHash: null });
    expect(row.subject).not.toContain(email);
    expect(await prisma.invitation.count({ where: { email } })).toBe(0);
    expect((await prisma.apiKey.findUniqueOrThrow({ where: { id: keyId } })).owner).toBe("");
    const channels = await prisma.warningChannel.findMany({
      where: { accountId: account, id: { not: unreadable.stored.id } },
    });
    expect(channels.map((one) => openTarget(sealer, one).target)).toEqual([other]);
    const { records } = await operators.listAudit({ limit: 1 });
    expect(records).toMatchObject([{ action: "ErasePerson", subjectId: personId }]);
    const operator = await operators.createOperator({ name: randomUUID(), role: VIEWER });
    const ofOperator = operators.erasePerson({ personId: operator.operator?.id ?? "" });
    await expect(ofOperator).rejects.toMatchObject({ code: "invalid_param" });
    const unknown = operators.erasePerson({ personId: "operator_none" });
    await expect(unknown).rejects.toMatchObject({ code: "not_found" });
  });

  test("closing an account deletes the customers that an operator created for it", async () => {
    const account = await newAccount();
    const name = `ada-${randomUUID()}`;
    const role = OperatorRole.CUSTOMER;
    const { operator, link } = await operators.createOperator({ name, role, account });
    const id = operator?.id ?? "";
    const sessionHash = new Uint8Array(randomBytes(32));
    const method = { case: "linkHash", value: hashOf(link?.secret ?? "") } as const;
    await identity.beginSession({ sessionHash, method });
    await identity.changePassword({ sessionHash, newPassword: password });
    await operators.closeAccount({ account });
    expect(await rowOf(id)).toMatchObject({ name: "", passwordHash: null });
    const credential = { case: "sessionHash", value: sessionHash } as const;
    expect((await identity.authenticate({ credential })).identity).toBeUndefined();
    const stored = await prisma.auditRecord.findMany({
      where: { OR: [{ subjectId: id }, { actorId: id }] },
    });
    expect(stored.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["CreateOperator", "SetPassword"]),
    );
    expect(JSON.stringify([stored, await rowOf(id)])).not.toContain(name);
  });

  test("an operator exports the data of a member, which is in the audit log", async () => {
    const account = await newAccount();
    const email = newAddress();
    const { personId } = await join(account, email);
    const { document } = await operators.exportMember({ account, personId });
    expect(JSON.parse(document).person).toMatchObject({ id: personId, email });
    const { records } = await operators.listAudit({ account, limit: 1 });
    expect(records).toMatchObject([{ action: "ExportMember", subjectId: personId }]);
    const other = await newAccount();
    const refused = operators.exportMember({ account: other, personId });
    await expect(refused).rejects.toMatchObject({ code: "not_found" });
  });

  test("the audit log shows the name of a member, and stores the id alone", async () => {
    const account = await newAccount();
    const email = newAddress();
    const { personId } = await join(account, email);
    const [accepted] = (await operators.listAudit({ account, limit: 1 })).records;
    expect(accepted).toMatchObject({ actorId: personId, actorName: `Zoë ${email}` });
    const stored = await prisma.auditRecord.findMany({ where: { accountId: account } });
    expect(JSON.stringify(stored)).not.toContain(email);
  });

  test("closing an account deletes what is stored of its people, and no other data", async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    const [email, known] = [newAddress(), newAddress()];
    const only = await join(account, email);
    const both = await join(account, known);
    const { secret } = await operators.inviteMember({
      ...{ account: other, email: known, role: MemberRole.DEVELOPER },
    });
    await identity.acceptInvitation({ secretHash: hashOf(secret) });
    await operators.inviteMember({ account, email: newAddress(), role: MemberRole.BILLING });
    const keyId = `key_${randomUUID()}`;
    await prisma.apiKey.create({
      data: { id: keyId, accountId: account, channel: "", owner: email },
    });
    await prisma.$transaction((transaction) =>
      recordChange(
        transaction,
        { kind: "local", id: "", name: "" },
        {
          ...{ action: "CreateKey", subjectKind: "key", subjectId: keyId, accountId: account },
          after: { owner: email, name: "ci" },
        },
      ),
    );
    const saltOf = async () =>
      (await prisma.account.findUniqueOrThrow({ where: { id: account } })).endUserSalt;
    const salt = await saltOf();
    await operators.closeAccount({ account });
    expect(await rowOf(only.personId)).toMatchObject({ name: "", email: "", passwordHash: null });
    expect(await rowOf(both.personId)).toMatchObject({ email: known, disabledAt: null });
    const { members } = await operators.listMembers({ account: other });
    expect(members).toMatchObject([{ personId: both.personId }]);
    expect(await prisma.invitation.count({ where: { accountId: account } })).toBe(0);
    const key = await prisma.apiKey.findUniqueOrThrow({ where: { id: keyId } });
    expect([key.owner, key.revokedAt]).toEqual(["", expect.any(Date)]);
    expect(await saltOf()).not.toBe(salt);
    expect(deletedOf).toEqual([keyId]);
    const { records } = await operators.listAudit({ account, limit: 10 });
    expect(records.map(({ action }) => action)).toContain("CloseAccount");
    expect(JSON.stringify(records, (_, value) => String(value))).not.toContain(email);
    const created = records.find(({ action }) => action === "CreateKey");
    expect(created?.after).toBe('{"name":"ci"}');
    // The address is free again.
    const again = await join(other, email);
    expect(again.personId).not.toBe(only.personId);
  });
});
