import { useQuery } from "@connectrpc/connect-query";
import type { GetCatalogRevisionResponse } from "@tollgate/proto/tollgate/v1/catalog";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useEffect, useMemo, useState } from "react";
import { type DraftDocument, readDraft } from "./draft/document.ts";
import { type DraftProblem, problemsOf } from "./draft/problems.ts";
import { readStoredDraft, storeDraft, type TextDraft } from "./draft/stored-draft.ts";

/** The draft of the editor: one text, which its forms and the YAML change. */
export interface DraftEditing extends TextDraft {
  document: DraftDocument;
  problems: readonly DraftProblem[];
  warnings: readonly string[];
  /** Whether the check has found no error in this text. */
  isValid: boolean;
  /** Whether the text differs from the one that it began with. */
  isChanged: boolean;
  /** Whether another revision was published since. */
  isOutdated: boolean;
  /** The newest revision and its text. */
  newest: Pick<TextDraft, "baseRevision" | "baseText">;
  /** Takes another text. */
  change: (text: string) => void;
  /** Begins anew with the newest revision. */
  discard: () => void;
  /** Takes a text that is meant to follow the newest revision. */
  rebase: (text: string) => void;
  /** Keys that were typed for providers of the draft, by their names. They are in the page's memory only. */
  typedKeys: ReadonlyMap<string, string>;
  rememberKey: (provider: string, key: string) => void;
}

/** Returns the draft of this tab, which begins with the newest revision. */
export function useDraft({ revision, text: newestText }: GetCatalogRevisionResponse): DraftEditing {
  const [draft, setDraft] = useState(() => readStoredDraft(sessionStorage));
  const [typedKeys, setTypedKeys] = useState<ReadonlyMap<string, string>>(new Map());
  const newest = { baseRevision: String(revision?.revision ?? 0n), baseText: newestText };
  const shown = draft ?? { ...newest, text: newestText };
  const document = useMemo(() => readDraft(shown.text), [shown.text]);
  const check = useCheck(shown.text);
  const store = (next: TextDraft) => {
    const stored = next.text === next.baseText ? undefined : next;
    setDraft(stored);
    storeDraft(sessionStorage, stored);
  };
  return {
    ...shown,
    document,
    newest,
    problems: problemsOf(document, check.errors),
    warnings: check.warnings,
    isValid: document.broken === undefined && check.isDone && check.errors.length === 0,
    isChanged: draft !== undefined,
    isOutdated: draft !== undefined && draft.baseRevision !== newest.baseRevision,
    change: (text) => store({ ...shown, text }),
    discard: () => store({ ...newest, text: newestText }),
    rebase: (text) => store({ ...newest, text }),
    typedKeys,
    rememberKey: (provider, key) => setTypedKeys((keys) => new Map([...keys, [provider, key]])),
  };
}

/** A check is a call: it waits until the typing has stopped. */
const pauseMs = 350;

function useCheck(text: string) {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, isPlaceholderData } = useQuery(
    OperatorService.method.checkCatalog,
    { text: settled },
    {
      enabled: settled.trim() !== "",
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
      placeholderData: (previous) => previous,
    },
  );
  const isDone = settled === text && data !== undefined && !isPlaceholderData;
  return { errors: data?.errors ?? [], warnings: data?.warnings ?? [], isDone };
}
