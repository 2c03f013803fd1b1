import { useMutation } from "@tanstack/react-query";
import { errorMessageOf } from "../calls/query-client.ts";
import { saveFile } from "../format/save-file.ts";
import { Button } from "./button.tsx";

interface Props {
  /** The name of the file. */
  file: string;
  /** Resolves with the text of the file, which the server writes. */
  read: () => Promise<string>;
}

/** Saves a table as CSV. */
export function CsvButton({ file, read }: Props) {
  const save = useMutation({ mutationFn: async () => saveFile(file, "text/csv", await read()) });
  return (
    <>
      <Button icon="download" disabled={save.isPending} onClick={() => save.mutate()}>
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
