import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { entryFilterOf, type LedgerSearch } from "../../search/ledger-search.ts";
import { CsvButton } from "../../ui/csv-button.tsx";

const limit = 1_000;
/** More fit no spreadsheet well: choose a period. */
const maxPages = 101;

/** Saves the entries of an account that match the filters as CSV, the newest first. */
export function LedgerCsv({ account, search }: { account: string; search: LedgerSearch }) {
  const transport = useTransport();
  const filter = entryFilterOf(search);
  async function read(): Promise<string> {
    const pages: string[] = [];
    for (let beforeEntryId = ""; pages.length < maxPages; ) {
      const page = { account, limit, beforeEntryId, asCsv: true, ...(filter && { filter }) };
      const found = await callUnaryMethod(transport, OperatorService.method.listLedger, page);
      pages.push(found.csv);
      if (found.entries.length < limit) break;
      beforeEntryId = found.entries.at(-1)?.id ?? "";
    }
    return pages.join("");
  }
  return <CsvButton file="ledger.csv" read={read} />;
}
