import { randomBytes, randomUUID } from "node:crypto";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAccount } from "../src/accounts.ts";
import { addMember } from "../src/members/members.ts";
import { createPerson } from "../src/members/persons.ts";
import { hashOf, type IdentityUnderTest, startIdentity } from "./identity-under-test.ts";

const dayMs = 24 * 3_600_000;
const { ADMIN, DEVELOPER } = MemberRole;
const password = "correct horse battery";

describe("the members of an account", () => {
  let tested: IdentityUnderTest;
  let nowMs = Date.now();

  beforeAll(async () => {
    tested = await startIdentity(() => new Date(nowMs));
  });

  afterAll(() => tested.stop());

  beforeEach(() => {
    nowMs = Date.now();
  });

  async function newAccount(): Promise<string> {
    const name = `account ${randomUUID()}`;
    return (await createAccount(tested.prisma, { name, admission: "" }, async () => false)).id;
  }

  function invite(account: string, role = DEVELOPER, email = `${randomUUID()}@example.com`) {
    return tested.operators.inviteMember({ account, email, role });
  }

  /** Accepts an invitation as a new person. Resolves with who has joined; undefined for nobody. */
  async function accept(secret: string, name = "Ada") {
    const sessionHash = new Uint8Array(randomBytes(32));
    const secretHash = hashOf(secret);
    const request = { secretHash, sessionHash, name, password };
    return (await tested.identity.acceptInvitation(request)).identity;
  }

  /** Creates a person, without a password: to hash one takes long. */
  async function newPerson() {
    const email = `${randomUUID()}@example.com`;
    return createPerson(tested.prisma, { email, name: email, passwordHash: "" });
  }

  async function join(accountId: string, role: string): Promise<string> {
    const { id: personId } = await newPerson();
    await addMember(tested.prisma, { accountId, personId, role, origin: "invitation" });
    return personId;
  }

  const rolesOf = async (account: string) =>
    (await tested.operators.listMembers({ account })).members.map(({ role }) => role);

  test("a new person accepts an invitation with a name and a password, once", async () => {
    const account = await newAccount();
    const { secret } = await invite(account);
    await expect(accept(secret, " ")).rejects.toMatchObject({ code: "invalid_param" });
    expect(await accept(secret)).toMatchObject({
      ...{ accountId: account, memberRole: DEVELOPER },
      ...{ actor: { kind: "member", accountId: account }, memberships: [{ accountId: account }] },
    });
    expect(await accept(secret)).toBeUndefined();
    const found = await tested.identity.findInvitation({ secretHash: hashOf(secret) });
    expect(found).toMatchObject({ accountName: "", isKnown: false });
  });

  test("of several requests at the same time, one accepts an invitation", async () => {
    const account = await newAccount();
    const { email } = await newPerson();
    const { secret } = await invite(account, DEVELOPER, email);
    const request = { secretHash: hashOf(secret), sessionHash: new Uint8Array(32) };
    const accepted = await Promise.all(
      Array.from({ length: 4 }, () => tested.identity.acceptInvitation(request)),
    );
    expect(accepted.filter(({ isAccepted }) => isAccepted)).toHaveLength(1);
    expect(accepted.every(({ identity }) => identity === undefined)).toBe(true);
    expect(await rolesOf(account)).toEqual([DEVELOPER]);
  });

  test("an invitation ends after 7 days, by another one, and when it is withdrawn", async () => {
    const account = await newAccount();
    const email = `${randomUUID()}@example.com`;
    const first = await invite(account, ADMIN, email);
    const second = await invite(account, DEVELOPER, email.toUpperCase());
    expect(await accept(first.secret)).toBeUndefined();
    const { invitations } = await tested.operators.listInvitations({ account });
    expect(invitations).toMatchObject([{ id: second.invitation?.id, email, role: DEVELOPER }]);
    nowMs += 7 * dayMs;
    expect(await accept(second.secret)).toBeUndefined();
    const third = await invite(account);
    const invitationId = third.invitation?.id ?? "";
    await tested.operators.withdrawInvitation({ account, invitationId });
    expect(await accept(third.secret)).toBeUndefined();
    expect(await rolesOf(account)).toEqual([]);
    expect((await tested.operators.listInvitations({ account })).invitations).toEqual([]);
  });

  test("the last admin stays, also where two admins remove each other at the same time", async () => {
    const account = await newAccount();
    const ids = [await join(account, "admin"), await join(account, "admin")];
    const { operators } = tested;
    const changes = await Promise.allSettled([
      operators.removeMember({ account, personId: ids[0] ?? "" }),
      operators.updateMember({ account, personId: ids[1] ?? "", role: DEVELOPER }),
    ]);
    const refused = changes.filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject([{ reason: { code: "invalid_param" } }]);
    expect(await rolesOf(account)).toContain(ADMIN);
  });

  test("the last admin stays, also where the rules of the OpenID provider say otherwise", async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    const subject = randomUUID();
    const signIn = (memberships: { account: string; role: MemberRole }[]) => {
      const value = { issuer: "https://oidc.example.com", subject, name: "Ada", memberships };
      const sessionHash = new Uint8Array(randomBytes(32));
      const method = { case: "provider", value } as const;
      return tested.identity.beginSession({ sessionHash, address: "", method });
    };
    await signIn([{ account, role: ADMIN }]);
    for (const role of [DEVELOPER, undefined]) {
      const kept = role === undefined ? [] : [{ account, role }];
      await signIn([...kept, { account: other, role: DEVELOPER }]);
      expect(await rolesOf(account)).toEqual([ADMIN]);
    }
    await join(account, "admin");
    await signIn([{ account: other, role: DEVELOPER }]);
    expect(await rolesOf(account)).toEqual([ADMIN]);
    expect(await rolesOf(other)).toEqual([DEVELOPER]);
    const { members } = await tested.operators.listMembers({ account });
    expect(members.map(({ name }) => name)).not.toContain("Ada");
  });

  test("the audit log has no address", async () => {
    const account = await newAccount();
    const email = `${randomUUID()}@example.com`;
    await accept((await invite(account, ADMIN, email)).secret);
    const { records } = await tested.operators.listAudit({ account });
    expect(records.map(({ action }) => action)).toEqual(["AcceptInvitation", "InviteMember"]);
    expect(records.map(({ before, after }) => before + after).join()).not.toContain(email);
  });

  test("what is no e-mail address is not invited, nor is a member again", async () => {
    const account = await newAccount();
    for (const email of ["", "ada", "ada@host", "a b@example.com", "ada@example.com\nBcc: x"]) {
      const invited = invite(account, ADMIN, email);
      await expect(invited, email).rejects.toMatchObject({ param: "email" });
    }
    const personId = await join(account, "admin");
    const { members } = await tested.operators.listMembers({ account });
    const email = members.find((one) => one.personId === personId)?.email;
    await expect(invite(account, DEVELOPER, email)).rejects.toMatchObject({ param: "email" });
  });
});
