import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { entryFilterOf, type LedgerSearch } from "../../search/ledger-search.ts";
import { amountOrderOf } from "../../search/list-search.ts";
import { CsvButton } from "../../ui/csv-button.tsx";

const limit = 1_000;
/** More fit no spreadsheet well: choose a period. */
const maxPages = 101;

/** Saves the entries that match the filters as CSV, in their order. */
export function LedgerCsv({ account, search }: { account: string; search: LedgerSearch }) {
  const transport = useTransport();
  const filter = entryFilterOf(search);
  const order = amountOrderOf(search);
  async function read(): Promise<string> {
    const pages: string[] = [];
    for (let beforeEntryId = ""; pages.length < maxPages; ) {
      const page = { account, limit, beforeEntryId, order, asCsv: true, ...(filter && { filter }) };
      const found = await callUnaryMethod(transport, OperatorService.method.listLedger, page);
      pages.push(found.csv);
      if (found.nextEntryId === "") break;
      beforeEntryId = found.nextEntryId;
    }
    return pages.join("");
  }
  return <CsvButton file="ledger.csv" read={read} />;
}
