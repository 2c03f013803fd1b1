import type {
  Account,
  Member,
  Operator,
  OperatorSession,
  OperatorToken,
  Prisma,
  PrismaClient,
  SecondFactor,
} from "../generated/client.ts";

type Database = Prisma.TransactionClient;
type Bytes = Uint8Array<ArrayBuffer>;

/** How long a session lasts after its last use. */
const sessionMs = 12 * 60 * 60_000;
/** How long a session that a provider began lasts at most: a new one has the role of then. */
const maxProviderSessionMs = 24 * 60 * 60_000;
/** How long a sign-in waits for a code. */
const waitingMs = 10 * 60_000;
/** A use extends a session, and marks a token as used, at most this often. */
const touchMs = 60_000;

export type SessionMethod = "link" | "password" | "provider";
export type StoredMembership = Member & { account: Account };
export type LiveSession = OperatorSession & {
  operator: Operator & { memberships: StoredMembership[]; secondFactor: SecondFactor | null };
};

/** What is read with a session: who has it, and of which accounts they are members. */
const withOperator = {
  operator: {
    include: {
      secondFactor: true,
      memberships: {
        include: { account: true },
        orderBy: [{ account: { name: "asc" } }, { accountId: "asc" }],
      },
    },
  },
} satisfies Prisma.OperatorSessionInclude;

/** Begins a session of an operator. One that awaits a code works after `completeSession`. */
export async function beginSession(
  database: Database,
  session: {
    sessionHash: Bytes;
    operatorId: string;
    method: SessionMethod;
    awaitsCode?: boolean;
  },
  now: Date,
): Promise<LiveSession> {
  const { operatorId, awaitsCode = false } = session;
  await database.operatorSession.deleteMany({ where: { expiresAt: { lte: now } } });
  if (!awaitsCode) await recordSignIn(database, operatorId, now);
  const expiresAt = new Date(now.getTime() + (awaitsCode ? waitingMs : sessionMs));
  return database.operatorSession.create({
    data: { ...session, createdAt: now, expiresAt },
    include: withOperator,
  });
}

/** Resolves with a session that awaits a code; undefined for any other. */
export async function findWaitingSession(
  database: Database,
  sessionHash: Bytes,
  now: Date,
): Promise<OperatorSession | undefined> {
  const where = { sessionHash, awaitsCode: true, expiresAt: { gt: now } };
  const operator = { disabledAt: null };
  return (await database.operatorSession.findFirst({ where: { ...where, operator } })) ?? undefined;
}

/** Makes a session work whose code was accepted. */
export async function completeSession(
  database: Database,
  { sessionHash, operatorId }: OperatorSession,
  now: Date,
): Promise<LiveSession> {
  await recordSignIn(database, operatorId, now);
  return database.operatorSession.update({
    where: { sessionHash },
    data: { awaitsCode: false, createdAt: now, expiresAt: new Date(now.getTime() + sessionMs) },
    include: withOperator,
  });
}

async function recordSignIn(database: Database, id: string, now: Date): Promise<void> {
  await database.operator.update({ where: { id }, data: { lastSignedInAt: now } });
}

/** Resolves with a session that has not expired and extends it; undefined for any other. */
export async function extendSession(
  prisma: PrismaClient,
  sessionHash: Bytes,
  now: Date,
): Promise<LiveSession | undefined> {
  const session = await prisma.operatorSession.findUnique({
    where: { sessionHash },
    include: withOperator,
  });
  if (session === null || session.awaitsCode || session.expiresAt <= now) return undefined;
  if (session.operator.disabledAt !== null) return undefined;
  const expiresAt = expiryOf(session, now);
  if (expiresAt.getTime() - session.expiresAt.getTime() < touchMs) return session;
  // It may have ended meanwhile.
  await prisma.operatorSession.updateMany({ where: { sessionHash }, data: { expiresAt } });
  return { ...session, expiresAt };
}

/** Resolves with a token that is valid, and marks it as used; undefined for any other. */
export async function useToken(
  prisma: PrismaClient,
  tokenHash: Bytes,
  now: Date,
): Promise<OperatorToken | undefined> {
  const token = await prisma.operatorToken.findUnique({ where: { tokenHash } });
  if (token === null || token.revokedAt !== null) return undefined;
  const { expiresAt, lastUsedAt } = token;
  if (expiresAt !== null && expiresAt <= now) return undefined;
  if (lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= touchMs) {
    await prisma.operatorToken.update({ where: { tokenHash }, data: { lastUsedAt: now } });
  }
  return token;
}

function expiryOf({ method, createdAt }: OperatorSession, now: Date): Date {
  const isOfProvider = method === "provider";
  const endMs = isOfProvider
    ? createdAt.getTime() + maxProviderSessionMs
    : Number.POSITIVE_INFINITY;
  return new Date(Math.min(now.getTime() + sessionMs, endMs));
}
