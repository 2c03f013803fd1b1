import { createHash } from "node:crypto";
import { GatewayError } from "@tollgate/core/errors";
import type { Prisma } from "../generated/client.ts";
import { hostOf } from "../members/addresses.ts";
import { isPublicMailHost, registrableDomain } from "../members/mail-hosts.ts";
import { networkOf } from "./network.ts";

/** The most mails that are sent to one address in a day. */
const maxByAddress = 5;
/** To one domain. A public mail host, such as gmail.com, has no such limit. */
const maxByDomain = 100;
/** At the request of one network of clients. */
const maxByNetwork = 20;
/** At the request of one account. */
const maxByAccount = 100;
const dayMs = 24 * 60 * 60_000;

/** A mail that a client or an account requests. */
export interface RequestedMail {
  to: string;
  /** The network address of the client. */
  clientAddress?: string;
  accountId?: string;
}

/**
 * Counts a requested mail. The caller counts it even if it then sends none, so that the limit does not reveal
 * who has an account. Throws `rate_limited` beyond the limits of the day (UTC).
 */
export async function admitMail(
  database: Prisma.TransactionClient,
  { to, clientAddress, accountId }: RequestedMail,
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
  // Sorted, so that two concurrent calls cannot deadlock.
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
