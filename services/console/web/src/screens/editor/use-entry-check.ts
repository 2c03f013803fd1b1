import { useMutation } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import type { DraftProblem } from "./draft/problems.ts";

/** Returns a check of one entry of the draft, before the draft takes it. */
export function useEntryCheck() {
  const check = useMutation(OperatorService.method.checkCatalog, { gcTime: 0 });
  const [problems, setProblems] = useState<readonly DraftProblem[]>([]);
  return {
    problems,
    isPending: check.isPending,
    error: check.error,
    /** Resolves with whether a catalog with the entry is valid. `read` reads its errors. */
    async passes(text: string, read: (error: string) => DraftProblem): Promise<boolean> {
      const found = await check.mutateAsync({ text }).catch(() => undefined);
      if (found === undefined) return false;
      setProblems(found.errors.map(read));
      return found.errors.length === 0;
    },
  };
}
