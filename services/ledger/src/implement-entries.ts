import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Implementation } from "@tollgate/rpc/implementation";
import { listConversationEntries, unlinkConversations } from "./conversations.ts";
import type { Entry } from "./generated/client.ts";
import { dateOfTimestamp, flushCaptures, type LedgerParts } from "./ledger-parts.ts";
import { listEntries } from "./read-entries.ts";
import { findRefunds } from "./refunds.ts";
import { findRequestEntries, findRequests, toRequests } from "./requests.ts";
import { readLines } from "./usage-lines.ts";

/** Returns the calls that list entries, by request and by conversation. */
export function implementEntries(parts: LedgerParts) {
  const { pool, prisma, config, locks } = parts;

  return {
    async listEntries({ filter, ...page }) {
      await flushCaptures(parts);
      const { from, to, kind = "", requestId = "", keyId = "" } = filter ?? {};
      const { entries, nextEntryId } = await listEntries(
        { pool, prisma },
        {
          ...page,
          filter: {
            ...{ kind, requestId, keyId },
            ...(from && { from: dateOfTimestamp(from) }),
            ...(to && { to: dateOfTimestamp(to) }),
          },
        },
      );
      return { entries: entries.map(toEntry), nextEntryId };
    },
    async listConversationEntries(query) {
      await flushCaptures(parts, query.accountId);
      const { entries, totalNanoUsd, hasMore } = await listConversationEntries(prisma, {
        accountId: query.accountId,
        conversationId: query.conversationId,
      });
      return { entries: entries.map(toEntry), totalNanoUsd, hasMore };
    },
    async unlinkConversations({ accountId, conversationIds }, { signal }) {
      await unlinkConversations(pool, locks, { accountId, conversationIds }, signal);
      return {};
    },
    async findRequests({ from, to, keys, excludedKeys, ...page }) {
      await flushCaptures(parts, page.accountId || undefined);
      const period = {
        ...(from && { from: dateOfTimestamp(from) }),
        ...(to && { to: dateOfTimestamp(to) }),
      };
      const keyIds = { keyIds: keys?.ids, excludedKeyIds: excludedKeys?.ids };
      return findRequests({ pool, prisma }, { ...page, ...period, ...keyIds });
    },
    async readRequest(which) {
      await flushCaptures(parts, which.accountId || undefined);
      const entries = await findRequestEntries({ pool, prisma }, which);
      const requests = await toRequests({ pool }, entries);
      const refunds = await findRefunds(prisma, [...new Set(entries.map((one) => one.requestId))]);
      return { requests, entries: entries.map(toEntry), refunds: refunds.map(toEntry) };
    },
    async getRetention() {
      const first = await prisma.entry.findFirst({
        select: { recordedAt: true },
        orderBy: [{ id: "asc" }],
      });
      return {
        requestDays: config.requestDays,
        ...(first && { firstEntryAt: timestampFromDate(first.recordedAt) }),
      };
    },
  } satisfies Partial<Implementation<typeof LedgerService>>;
}

type ReadEntry = Omit<Entry, "providerUsage"> & Partial<Pick<Entry, "providerUsage">>;

/** Returns a row as the fields of a message. */
function toEntry({ conversationId: _link, chargeId: _charge, ...stored }: ReadEntry) {
  const { providerCostNanoUsd, ...entry } = stored;
  return {
    ...entry,
    ...(providerCostNanoUsd === null ? {} : { providerCostNanoUsd }),
    lines: readLines(entry.lines),
    providerUsage: entry.providerUsage ?? "",
    reason: entry.reason ?? "",
    recordedAt: timestampFromDate(entry.recordedAt),
  };
}
