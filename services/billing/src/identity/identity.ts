import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import type { PasswordSignIn } from "@tollgate/proto/tollgate/v1/console";
import type {
  Actor,
  BeginSessionRequest,
  Identity,
  IdentityService,
  ProviderSignIn,
} from "@tollgate/proto/tollgate/v1/identity";
import { OperatorRole, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { AnyHandler, Fields, Implementation } from "@tollgate/rpc/implementation";
import type { CallActor } from "../actor.ts";
import type { Operator, PrismaClient } from "../generated/client.ts";
import { exportPerson } from "../members/export-person.ts";
import { findPerson } from "../members/persons.ts";
import { signInMember } from "../members/provider-members.ts";
import { implementOperator } from "../operator/operator.ts";
import type { OperatorParts } from "../operator/parts.ts";
import { issuePlaygroundKey } from "../playground/issue-key.ts";
import { changePassword } from "./change-password.ts";
import type { FactorPolicy } from "./factor-policy.ts";
import { identityOfSession, identityOfToken } from "./identity-messages.ts";
import { implementMemberships } from "./memberships.ts";
import { normalizeName } from "./operators.ts";
import type { Passwords } from "./passwords.ts";
import { readRole } from "./roles.ts";
import { implementSecondFactors } from "./second-factor-calls.ts";
import { hasSecondFactor } from "./second-factors.ts";
import { beginSession, extendSession, type SessionMethod, useToken } from "./sessions.ts";
import { admitSignIn } from "./sign-in-failures.ts";
import { implementSignUp } from "./sign-up.ts";

type PasswordAttempt = Pick<PasswordSignIn, "name" | "password"> &
  Pick<BeginSessionRequest, "address" | "customersOnly">;

/** Who signs in, and how. */
interface SignedIn {
  operator: Operator;
  method: SessionMethod;
}

interface IdentityParts extends Omit<OperatorParts, "actor"> {
  passwords: Passwords;
  factorPolicy: FactorPolicy;
}

/** Returns what the console calls on behalf of those who use it. */
export function implementIdentity(parts: IdentityParts): Implementation<typeof IdentityService> {
  const { prisma, passwords, factorPolicy, now } = parts;

  async function signIn(request: BeginSessionRequest): Promise<SignedIn | undefined> {
    const { method, address, customersOnly } = request;
    switch (method.case) {
      case "linkHash":
        return signInByLink(prisma, bytesOf(method.value), { customersOnly }, now());
      case "password": {
        const attempt = { ...method.value, address, customersOnly };
        return signInByPassword({ prisma, passwords }, attempt, now());
      }
      case "provider":
        if (customersOnly && method.value.role !== OperatorRole.CUSTOMER) return undefined;
        return signInByProvider(prisma, method.value);
      default:
        throw invalidParam("method", "must be a link, a password or a provider's identity");
    }
  }

  return {
    ...implementMemberships({ prisma, passwords, factorPolicy, now }),
    ...implementSignUp(parts),
    ...implementSecondFactors(parts),
    async authenticate({ credential }) {
      return identityOrNone(await findIdentity(parts, credential));
    },
    async beginSession(request) {
      const found = await signIn(request);
      if (found === undefined || found.operator.disabledAt !== null) return {};
      const { operator, method } = found;
      const sessionHash = bytesOf(request.sessionHash);
      // A provider decides for itself how many factors it asks for.
      const needsCode = method !== "provider" && (await hasSecondFactor(prisma, operator.id));
      const session = { sessionHash, operatorId: operator.id, method, awaitsCode: needsCode };
      const begun = await beginSession(prisma, session, now());
      return needsCode ? { needsCode } : { identity: identityOfSession(begun, factorPolicy) };
    },
    async endSession({ sessionHash }) {
      await prisma.operatorSession.deleteMany({ where: { sessionHash: bytesOf(sessionHash) } });
      return {};
    },
    async changePassword(request) {
      await changePassword({ prisma, passwords }, request, now);
      return {};
    },
    async exportPerson({ sessionHash, beforeAct }) {
      const session = await extendSession(prisma, bytesOf(sessionHash), now());
      if (session === undefined) throw new GatewayError("not_found", "The session has ended.");
      const { operatorId: personId } = session;
      return exportPerson(prisma, { personId, beforeAct }, now());
    },
    async issuePlaygroundKey({ actor, account, dailyBudgetNanoUsd: dailyNanoUsd }) {
      const request = { actor: actorOf(actor), account, dailyNanoUsd };
      const { key, expiresAt } = await issuePlaygroundKey(parts, request);
      return { key, expiresAt: timestampFromDate(expiresAt) };
    },
    async operate({ actor, method: name, request }, context) {
      const method = OperatorService.methods.find((one) => one.name === name);
      if (method === undefined) throw invalidParam("method", "must be an rpc of OperatorService");
      const calls = implementOperator({ ...parts, actor: actorOf(actor) });
      const call = (calls as Record<string, AnyHandler>)[method.localName] as AnyHandler;
      const input = fromBinary(method.input, request) as never;
      const output = create(method.output, await (call(input, context) as Promise<Fields>));
      return { response: toBinary(method.output, output) };
    },
  };
}

async function findIdentity(
  { prisma, factorPolicy, now }: IdentityParts,
  credential: { case?: string | undefined; value?: Uint8Array | undefined },
): Promise<Identity | undefined> {
  const hash = bytesOf(credential.value ?? new Uint8Array());
  if (credential.case === "tokenHash") {
    const token = await useToken(prisma, hash, now());
    return token && identityOfToken(token);
  }
  const session = await extendSession(prisma, hash, now());
  return session && identityOfSession(session, factorPolicy);
}

function identityOrNone(identity: Identity | undefined) {
  return identity === undefined ? {} : { identity };
}

/** A link works once: the request that deletes it signs in. */
async function signInByLink(
  prisma: PrismaClient,
  secretHash: Uint8Array<ArrayBuffer>,
  { customersOnly }: { customersOnly: boolean },
  now: Date,
): Promise<SignedIn | undefined> {
  const [link] = await prisma.$queryRaw<{ operator_id: string; expires_at: Date }[]>`
    DELETE FROM sign_in_link USING operator
    WHERE secret_hash = ${secretHash} AND operator.id = operator_id
      AND (role = 'customer' OR NOT ${customersOnly})
    RETURNING operator_id, sign_in_link.expires_at`;
  if (link === undefined || link.expires_at <= now) return undefined;
  const where = { id: link.operator_id };
  return { operator: await prisma.operator.findUniqueOrThrow({ where }), method: "link" };
}

async function signInByPassword(
  { prisma, passwords }: { prisma: PrismaClient; passwords: Passwords },
  { name: text, password, address, customersOnly }: PasswordAttempt,
  now: Date,
): Promise<SignedIn | undefined> {
  const name = normalizeName(text);
  // Of their own, so that strangers cannot lock operators out where these sign in.
  const subject = customersOnly ? `customer ${name}` : name;
  const succeeded = await admitSignIn(prisma, { name: subject, address }, now);
  const local = await prisma.operator.findUnique({
    where: { issuer_subject: { issuer: "", subject: name } },
  });
  // One password is compared in all cases, so that the time does not reveal who exists.
  const found = local ?? (await findPerson(prisma, name));
  const operator = customersOnly && found?.role !== "customer" ? null : found;
  if (!(await passwords.isStored(password, operator?.passwordHash ?? null))) return undefined;
  if (operator === null || operator.disabledAt !== null) return undefined;
  await succeeded();
  return { operator, method: "password" };
}

async function signInByProvider(
  prisma: PrismaClient,
  { issuer, subject, name, role, account, email, memberships }: ProviderSignIn,
): Promise<SignedIn> {
  if (issuer === "" || subject === "") throw invalidParam("issuer", "and subject are required");
  if (memberships.length > 0) {
    const person = { issuer, subject, name, email };
    return { operator: await signInMember(prisma, person, memberships), method: "provider" };
  }
  const stored = await readRole(prisma, role, account);
  const operator = await prisma.operator.upsert({
    where: { issuer_subject: { issuer, subject } },
    create: { id: newId("operator"), name, issuer, subject, ...stored },
    update: { name, ...stored },
  });
  return { operator, method: "provider" };
}

function actorOf(actor: Actor | undefined): CallActor {
  const kind = actor?.kind;
  if (actor !== undefined && (kind === "operator" || kind === "member" || kind === "token")) {
    const { id, name, accountId, memberRole } = actor;
    if (kind !== "member" || accountId !== "") return { kind, id, name, accountId, memberRole };
  }
  throw invalidParam("actor", "must be an operator, a token or a member of an account");
}

/** Prisma takes bytes that have a buffer of their own. */
function bytesOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
