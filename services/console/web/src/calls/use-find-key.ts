import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useNavigate } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import { errorMessageOf } from "./query-client.ts";

/** Finds the key of a text, and shows its screen. */
export interface FindKey {
  find(text: string): void;
  /** Why the last text led to no key. */
  problem: string | undefined;
}

/**
 * Returns what finds keys by their texts. A text stays on the page: only its SHA-256 is sent. `onFound` is
 * called once the screen of a key is shown.
 */
export function useFindKey(onFound?: () => void): FindKey {
  const transport = useTransport();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string>();

  async function find(text: string): Promise<void> {
    setProblem(undefined);
    if (crypto.subtle === undefined) {
      setProblem("A browser finds keys by their text over https only: use `tollgate key find -`.");
      return;
    }
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    const request = { keyHash: new Uint8Array(hash) };
    const { key } = await callUnaryMethod(transport, OperatorService.method.getKey, request);
    if (key === undefined) return;
    await navigate({ to: "/keys/$keyId", params: { keyId: key.id } });
    onFound?.();
  }

  return {
    problem,
    find: (text) => {
      find(text).catch((error: unknown) => setProblem(errorMessageOf(error)));
    },
  };
}
