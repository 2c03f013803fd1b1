import { WarningKind } from "@tollgate/proto/tollgate/v1/warning";
import type { Mailing } from "../mail/mailing.ts";
import type { Mail } from "../mail/messages.ts";

/** A warning that has begun. */
export interface BegunWarning {
  id: string;
  kind: WarningKind;
  title: string;
  text: string;
  keyId: string;
  begunAt: Date;
}

/** The warnings of an account, or of the gateway, that begin at the same time. */
export interface WarningBatch {
  accountId: string;
  /** Empty: of the gateway. */
  accountName: string;
  warnings: readonly BegunWarning[];
}

/** How many warnings a text for people has. */
const maxListed = 20;

/** Returns the body of a webhook, which has all of the warnings. */
export function webhookBody({ accountId, accountName, warnings }: WarningBatch): string {
  return JSON.stringify({
    type: "warnings.begun",
    timestamp: warnings[0]?.begunAt.toISOString() ?? "",
    data: {
      account_id: accountId,
      account_name: accountName,
      warnings: warnings.map((one) => ({
        id: one.id,
        kind: kindText(one.kind),
        title: one.title,
        text: one.text,
        key_id: one.keyId,
        begun_at: one.begunAt.toISOString(),
      })),
    },
  });
}

/** Returns the body of an incoming webhook of Slack. */
export function slackBody(batch: WarningBatch): string {
  const lines = linesOf(batch).map((line) => `• ${line}`);
  const text = [`Tollgate, ${subjectOf(batch)}:`, ...lines].join("\n");
  // What is between these signs would be a link or a mention.
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return JSON.stringify({ text: escaped });
}

type ConsoleUrls = Pick<Mailing, "consoleUrl" | "customerUrl">;

/** Returns a mail to somebody who is warned. */
export function warningMail(to: string, batch: WarningBatch, urls: ConsoleUrls): Mail {
  const [first] = batch.warnings;
  const many = `${batch.warnings.length} warnings`;
  const title = batch.warnings.length === 1 ? (first?.title ?? "") : many;
  const url = batch.accountId === "" ? urls.consoleUrl : urls.customerUrl;
  const paragraphs = [...linesOf(batch), `See the warnings: ${url}/warnings`];
  return {
    to,
    subject: `${subjectOf(batch)}: ${title}`.replace(/\p{Cc}/gu, " "),
    text: `${paragraphs.join("\n\n")}\n`,
  };
}

/** Returns a kind as it is stored, and as a webhook has it: `days_left`. */
export function kindText(kind: WarningKind): string {
  return (WarningKind[kind] ?? "").toLowerCase();
}

function subjectOf({ accountId, accountName }: WarningBatch): string {
  return accountId === "" ? "the gateway" : accountName;
}

function linesOf({ warnings }: WarningBatch): string[] {
  const lines = warnings.slice(0, maxListed).map(({ title, text }) => `${title}. ${text}`.trim());
  const more = warnings.length - lines.length;
  return more === 0 ? lines : [...lines, `And ${more} more.`];
}
