import type { StoredContent } from "@tollgate/proto/tollgate/v1/content";
import { UsageError } from "../help.ts";
import { readWholeNumber } from "../text/amounts.ts";
import { isoTime, shortTime } from "../text/times.ts";
import type { Command } from "./command.ts";

const maxDays = 365;

/** `tollgate account content` */
export const setContentDaysCommand: Command = {
  takes: ["ACCOUNT"],
  options: ["days"],
  async run([name = ""], { days: text }, operator) {
    if (text === undefined) throw new UsageError("account content needs --days, 0 for none");
    const days = text === "0" ? 0 : readWholeNumber(text, "--days", maxDays);
    const { account } = await operator().updateContentDays({ account: name, days });
    const id = account?.id ?? "";
    const what = days === 0 ? "are not stored" : `are stored for ${days} days`;
    return {
      lines: [`prompts and responses of account ${id} ${what}`],
      json: { id, content_days: account?.contentDays ?? 0 },
    };
  },
};

/** `tollgate request content` */
export const showContentCommand: Command = {
  takes: ["an id"],
  options: [],
  async run([requestId = ""], _options, operator) {
    const { content } = await operator().viewRequestContent({ requestId });
    return content === undefined
      ? { lines: [], json: null }
      : { lines: contentLines(content), json: contentJson(content) };
  },
};

function contentLines(content: StoredContent): string[] {
  const cut = (isCut: boolean) => (isCut ? " (only its start is stored)" : "");
  return [
    `stored: ${shortTime(content.storedAt)}, until ${shortTime(content.expiresAt)}`,
    `request${cut(content.isRequestCut)}:`,
    content.request,
    `response${cut(content.isResponseCut)}:`,
    content.response,
  ];
}

function contentJson(content: StoredContent) {
  return {
    request_id: content.requestId,
    request: content.request,
    response: content.response,
    is_request_cut: content.isRequestCut,
    is_response_cut: content.isResponseCut,
    stored_at: isoTime(content.storedAt),
    expires_at: isoTime(content.expiresAt),
  };
}
