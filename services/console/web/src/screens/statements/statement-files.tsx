import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { errorMessageOf } from "../../calls/query-client.ts";
import { saveFile } from "../../format/save-file.ts";
import { Button } from "../../ui/button.tsx";

interface Props {
  number: bigint;
  account: string;
  look?: "plain" | "quiet";
}

/** Saves a statement as a PDF or as CSV. */
export function StatementFiles({ number, account, look = "quiet" }: Props) {
  const transport = useTransport();
  const save = useMutation({
    mutationFn: async (type: "pdf" | "csv") => {
      const request = { account, number, asPdf: type === "pdf", asCsv: type === "csv" };
      const { getStatement } = OperatorService.method;
      const { pdf, csv } = await callUnaryMethod(transport, getStatement, request);
      const [kind, content] =
        type === "pdf" ? ["application/pdf", new Uint8Array(pdf)] : ["text/csv", csv];
      saveFile(`statement-${number}.${type}`, kind, content);
    },
  });
  return (
    <>
      {save.error && (
        <span className="hint bad" role="alert">
          {errorMessageOf(save.error)}
        </span>
      )}
      {(["pdf", "csv"] as const).map((type) => (
        <Button
          key={type}
          look={look}
          {...(look === "plain" && { icon: "download" })}
          disabled={save.isPending}
          aria-label={`Save statement ${number} as ${type.toUpperCase()}`}
          onClick={() => save.mutate(type)}
        >
          {type.toUpperCase()}
        </Button>
      ))}
    </>
  );
}
