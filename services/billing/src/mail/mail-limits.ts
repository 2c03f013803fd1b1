import { createHash } from "node:crypto";
import { GatewayError } from "@tollgate/core/errors";
import type { Prisma } from "../generated/client.ts";
import { hostOf } from "../members/addresses.ts";
import { isPublicMailHost, registrableDomain } from "../members/mail-hosts.ts";
import { networkOf } from "./network.ts";

/** How much mail a day goes to one address. */
const maxByAddress = 5;
/** To one domain. Hosts at which anybody has an address have no limit of their own. */
const maxByDomain = 100;
/** On behalf of one network of clients. */
const maxByNetwork = 20;
/** On behalf of one account. */
const maxByAccount = 100;
const dayMs = 24 * 60 * 60_000;

export interface MailOccasion {
  to: string;
  /** The network address of the client that asks for it. */
  clientAddress?: string;
  /** The account that asks for it. */
  accountId?: string;
}

/**
 * Counts a mail that somebody asks for, whether or not one is sent, so that the limit does not reveal who
 * has an account. Throws `rate_limited` beyond the limits of the day (UTC).
 */
export async function admitMail(
  database: Prisma.TransactionClient,
  { to, clientAddress, accountId }: MailOccasion,
  now: Date,
): Promise<void> {
  const domain = registrableDomain(hostOf(to));
  const limits = new Map([[subjectOf("address", to), maxByAddress]]);
  if (!isPublicMailHost(hostOf(to))) limits.set(subjectOf("domain", domain), maxByDomain);
  if (clientAddress !== undefined) {
    limits.set(subjectOf("network", networkOf(clientAddress)), maxByNetwork);
  }
  if (accountId !== undefined) limits.set(subjectOf("account", accountId), maxByAccount);
  const day = new Date(Math.floor(now.getTime() / dayMs) * dayMs);
  await database.mailCount.deleteMany({ where: { day: { lt: day } } });
  // In one order, so that two at the same time cannot wait for each other.
  const subjects = [...limits.keys()].sort();
  const counted = await database.$queryRaw<{ subject: string; mails: number }[]>`
    INSERT INTO mail_count (subject, day, mails)
    SELECT subject, ${day}, 1 FROM unnest(${subjects}::text[]) AS subject
    ON CONFLICT (subject, day) DO UPDATE SET mails = mail_count.mails + 1
    RETURNING subject, mails`;
  if (counted.every(({ subject, mails }) => mails <= (limits.get(subject) ?? 0))) return;
  const retryAfterSeconds = Math.ceil((day.getTime() + dayMs - now.getTime()) / 1_000);
  const message = "Too much mail was asked for today. Try again tomorrow.";
  throw new GatewayError("rate_limited", message, { retryAfterSeconds });
}

/** A hash, so that no addresses of strangers are stored. */
function subjectOf(kind: string, value: string): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, value]))
    .digest("base64url");
}
