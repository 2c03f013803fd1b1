import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import type { CodeBatch } from "@tollgate/proto/tollgate/v1/operator";
import { UsageError } from "../help.ts";
import { namedTimeOrders, readSearchedPage, searchedOptions } from "../options/list-options.ts";
import { readUsd, readWholeNumber } from "../text/amounts.ts";
import { isoTime, readTime } from "../text/times.ts";
import type { Command } from "./command.ts";
import { listOutput } from "./list-output.ts";

const maxCodes = 10_000;

/** `tollgate code create` */
export const createCodesCommand: Command = {
  takes: [],
  options: ["credit", "count", "expires", "name"],
  async run(_args, { credit, count = "1", expires, name = "" }, operator) {
    if (credit === undefined) throw new UsageError("codes need --credit");
    if (expires === undefined) throw new UsageError("codes need --expires");
    const { batch, codes } = await operator().createCodes({
      ...{ name, creditNanoUsd: readUsd(credit, "--credit") },
      count: readWholeNumber(count, "--count", maxCodes),
      expiresAt: timestampFromDate(readTime(expires, "--expires", new Date())),
    });
    return { lines: codes, json: { ...(batch && batchJson(batch)), texts: codes } };
  },
};

/** `tollgate code list` */
export const listCodesCommand: Command = {
  takes: [],
  options: searchedOptions,
  async run(_args, { before = "", ...options }, operator) {
    const page = readSearchedPage(options, namedTimeOrders);
    const { batches, nextBatchId } = await operator().listCodeBatches({
      ...{ beforeBatchId: before, ...page },
    });
    return listOutput("batches", {
      rows: batches,
      next: nextBatchId,
      toLines: (rows) => rows.map(batchLine),
      toJson: batchJson,
    });
  },
};

/** `tollgate code revoke` */
export const revokeCodesCommand: Command = {
  takes: ["BATCH-ID"],
  options: [],
  async run([batchId = ""], _options, operator) {
    const { revokedAt } = await operator().revokeCodes({ batchId });
    const at = isoTime(revokedAt);
    return { lines: [`revoked at ${at}`], json: { revoked_at: at } };
  },
};

/** `tollgate code redeem` */
export const redeemCodeCommand: Command = {
  takes: ["ACCOUNT", "CODE"],
  options: [],
  async run([account = "", code = ""], _options, operator) {
    const { creditNanoUsd } = await operator().redeemCode({ account, code });
    return {
      lines: [`added ${formatUsd(creditNanoUsd)} USD`],
      json: { credit_nano_usd: String(creditNanoUsd) },
    };
  },
};

function batchLine(batch: CodeBatch): string {
  const { id, name, creditNanoUsd, codes, redeemed, expiresAt, revokedAt } = batch;
  const end = revokedAt === undefined ? `expires ${isoTime(expiresAt)}` : "revoked";
  const credit = `${formatUsd(creditNanoUsd)} USD`;
  return `${id} ${redeemed} of ${codes} redeemed, ${credit} each, ${end} ${name}`.trimEnd();
}

function batchJson(batch: CodeBatch) {
  return {
    id: batch.id,
    name: batch.name,
    credit_nano_usd: String(batch.creditNanoUsd),
    codes: batch.codes,
    redeemed: batch.redeemed,
    created_at: isoTime(batch.createdAt),
    expires_at: isoTime(batch.expiresAt),
    revoked_at: isoTime(batch.revokedAt),
  };
}
