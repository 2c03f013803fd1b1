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
    /**
     * Resolves with whether the entry is valid in a catalog. `read` reads an error; it returns undefined for one
     * that is not the entry's.
     */
    async passes(
      text: string,
      read: (error: string) => DraftProblem | undefined,
    ): Promise<boolean> {
      const found = await check.mutateAsync({ text }).catch(() => undefined);
      if (found === undefined) return false;
      const problems = found.errors.map(read).filter((problem) => problem !== undefined);
      setProblems(problems);
      return problems.length === 0;
    },
  };
}
