import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { errorMessageOf } from "../../calls/query-client.ts";
import { saveFile } from "../../format/csv.ts";
import { entryFilterOf, type LedgerSearch } from "../../search/ledger-search.ts";
import { Button } from "../../ui/button.tsx";
import { entriesCsv } from "./entries-csv.ts";

const pageSize = 1_000;
/** More fit no spreadsheet well: choose a period. */
const maxEntries = 100_000;

/** Saves the entries of an account that match the filters as CSV, the newest first. */
export function LedgerCsv({ account, search }: { account: string; search: LedgerSearch }) {
  const transport = useTransport();
  const save = useMutation({
    mutationFn: async () => {
      const entries: Entry[] = [];
      const filter = entryFilterOf(search);
      for (let before = ""; ; before = entries.at(-1)?.id ?? "") {
        const page = { account, limit: pageSize, beforeEntryId: before, ...(filter && { filter }) };
        const found = await callUnaryMethod(transport, OperatorService.method.listLedger, page);
        entries.push(...found.entries);
        if (found.entries.length < pageSize || entries.length >= maxEntries) break;
      }
      saveFile("ledger.csv", "text/csv", entriesCsv(entries));
    },
  });
  return (
    <>
      <Button disabled={save.isPending} onClick={() => save.mutate()}>
        Save CSV
      </Button>
      {save.error && (
        <p className="form-error" role="alert">
          {errorMessageOf(save.error)}
        </p>
      )}
    </>
  );
}
