import { randomBytes } from "node:crypto";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { hashOfSecret, newSecret } from "@tollgate/core/secrets";
import type {
  BeginSignUpRequest,
  CompleteSignUpRequest,
} from "@tollgate/proto/tollgate/v1/identity";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import { accountNameRule, createAccount, isAccountName } from "../accounts.ts";
import { recordChange } from "../audit.ts";
import {
  type Account,
  type Operator,
  Prisma,
  type PrismaClient,
  type SignUp,
} from "../generated/client.ts";
import { checkNewPassword, type Passwords } from "../identity/passwords.ts";
import { admitMail } from "../mail/mail-limits.ts";
import type { Mailing } from "../mail/mailing.ts";
import { hostOf, readAddress } from "./addresses.ts";
import { addMember } from "./members.ts";
import { createPerson, findPerson, readPersonName } from "./persons.ts";
import type { SignUpSettings } from "./sign-up-settings.ts";
import { takeStartCredit } from "./start-credit.ts";

/** What signing up needs. */
export interface SignUpParts {
  prisma: PrismaClient;
  ledger: Client<typeof LedgerService>;
  mailing: Mailing | undefined;
  signUp: SignUpSettings;
  now(): Date;
}

/** How long the link that confirms an address works. */
const confirmationMs = 24 * 60 * 60_000;
const openingReference = "opening-credit";
/** How many keys of a new account work at a time: strangers open accounts, and each key takes memory. */
const maxKeys = 100;
/**
 * Mailed invitations show the name of an account to strangers, and mail programs make links of URLs and of domains:
 * a dot inside a word with two letters after it, as a top-level domain has.
 */
const linked = /\/|\bwww\.|[\p{L}\p{M}\p{N}_-]\.\p{L}[\p{L}\p{M}]/iu;

/**
 * Mails a link to who signs up. An address that has a person already gets a mail that says so, and the
 * response is the same. Throws `invalid_param` for a host that may not sign up, and `rate_limited`.
 */
export async function beginSignUp(
  { prisma, mailing, signUp, now }: SignUpParts,
  { email: text, accountName, clientAddress }: BeginSignUpRequest,
): Promise<void> {
  if (signUp.mode === "off" || mailing === undefined) throw signUpIsOff();
  const email = readAddress(text);
  const { domains } = signUp;
  if (domains.length > 0 && !domains.includes(hostOf(email))) {
    throw invalidParam("email", "must be an address at a host whose people may sign up");
  }
  if (!isAccountName(accountName)) {
    throw invalidParam("account_name", accountNameRule);
  }
  if (linked.test(accountName)) {
    const problem =
      "must not contain a URL or a domain, which mail programs show as a link: no /, no www. and no " +
      "dot inside a word, as in acme.com";
    throw invalidParam("account_name", problem);
  }
  await admitMail(prisma, { to: email, clientAddress }, now());
  const { outbox, texts } = mailing;
  await prisma.$transaction(async (transaction) => {
    if ((await findPerson(transaction, email)) !== null) {
      return outbox.add(transaction, texts.known(email));
    }
    const secret = newSecret();
    const at = now();
    const expired = { personId: null, expiresAt: { lte: at } };
    await transaction.signUp.deleteMany({ where: expired });
    const expiresAt = new Date(at.getTime() + confirmationMs);
    const row = { email, accountName, secretHash: hashOfSecret(secret), createdAt: at, expiresAt };
    await transaction.signUp.create({ data: { id: newId("signup"), ...row } });
    return outbox.add(transaction, texts.signUp(email, secret));
  });
  outbox.wake();
}

/**
 * Creates the person whose address a link confirms, once; and where sign-up is open, the account.
 * Resolves with the person; undefined for a link that is not valid.
 */
export async function completeSignUp(
  parts: SignUpParts & { passwords: Passwords },
  { secretHash: hash, name: text, password }: CompleteSignUpRequest,
): Promise<Operator | undefined> {
  const { prisma, signUp, passwords, now } = parts;
  if (signUp.mode === "off") throw signUpIsOff();
  const secretHash = new Uint8Array(hash);
  const where = { secretHash, personId: null, expiresAt: { gt: now() } };
  const found = await prisma.signUp.findFirst({ where });
  if (found === null || (await findPerson(prisma, found.email)) !== null) return undefined;
  const name = readPersonName(text);
  checkNewPassword(password);
  const passwordHash = await passwords.hash(password);
  const { id, email } = found;
  const confirmed = await prisma
    .$transaction(async (transaction) => {
      // The transaction that clears the hash uses the link; another one finds no row.
      const data = { secretHash: null };
      const { count } = await transaction.signUp.updateMany({ where, data });
      if (count === 0) return undefined;
      const person = await createPerson(transaction, { email, name, passwordHash });
      await transaction.signUp.deleteMany({ where: { email, id: { not: id } } });
      const row = await transaction.signUp.update({ where: { id }, data: { personId: person.id } });
      return { person, row };
    })
    .catch(undefinedForDuplicate);
  if (confirmed === undefined) return undefined;
  if (signUp.mode === "open") await openAccountOf(parts, confirmed.row);
  return confirmed.person;
}

/**
 * Opens the account of a person who has signed up and confirmed the address, as its admin, with the start
 * credit where it is due. A call that was interrupted can be repeated.
 */
export async function openAccountOf(
  { prisma, ledger, mailing, signUp }: SignUpParts,
  row: SignUp,
): Promise<Account> {
  const { id, email, personId } = row;
  if (personId === null) throw new Error("the address of a sign-up is not confirmed");
  const account = await accountOf(prisma, row, personId);
  const accountId = account.id;
  const { creditNanoUsd, creditNeedsCard } = signUp;
  const hasCredit =
    mailing !== undefined &&
    creditNanoUsd > 0n &&
    (await takeStartCredit(prisma, mailing.sealer, { email, accountId }));
  const amountNanoUsd = hasCredit && !creditNeedsCard ? creditNanoUsd : 0n;
  await ledger.topUp({ accountId, amountNanoUsd, reference: openingReference });
  await prisma.$transaction(async (transaction) => {
    if (hasCredit && creditNeedsCard) {
      const data = { startCreditNanoUsd: creditNanoUsd };
      await transaction.account.update({ where: { id: accountId }, data });
    }
    await addMember(transaction, { accountId, personId, role: "admin", origin: "sign-up" });
    await transaction.signUp.deleteMany({ where: { id } });
  });
  return account;
}

/** Resolves with the account of a sign-up, which is created at the first call. */
async function accountOf(
  prisma: PrismaClient,
  { id, accountId, accountName }: SignUp,
  personId: string,
): Promise<Account> {
  if (accountId !== null) {
    return prisma.account.findUniqueOrThrow({ where: { id: accountId } });
  }
  const create = (name: string) =>
    createAccount(
      prisma,
      { name, admission: "", maxKeys },
      async () => false,
      async (transaction, created) => {
        await transaction.signUp.update({ where: { id }, data: { accountId: created.id } });
        await recordChange(transaction, await actorOf(transaction, personId), {
          action: "CreateAccount",
          ...{ subjectKind: "account", subjectId: created.id, accountId: created.id },
          after: { name, key_bounds: { max_keys: maxKeys } },
        });
      },
    );
  try {
    return await create(accountName);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.param !== "name") throw error;
    // Who signs up must not learn which names other customers have.
    return create(`${accountName.slice(0, 119)}-${randomBytes(4).toString("hex")}`);
  }
}

async function actorOf(transaction: Prisma.TransactionClient, personId: string) {
  const { name } = await transaction.operator.findUniqueOrThrow({ where: { id: personId } });
  return { kind: "member", id: personId, name } as const;
}

function signUpIsOff(): GatewayError {
  return new GatewayError("not_found", "Nobody can sign up here.");
}

/** Another link of the same address was used at the same time. */
function undefinedForDuplicate(error: unknown): undefined {
  if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002") return;
  throw error;
}
