/** A text of the catalog that is not published. It has no key of a provider. */
export interface TextDraft {
  text: string;
  /** The newest revision that its author has seen, and its text. */
  baseRevision: string;
  baseText: string;
}

const storedAs = "tollgate-catalog-draft";

/** Returns the draft of this tab, which a reload leaves. */
export function readStoredDraft(storage: Storage): TextDraft | undefined {
  try {
    const value: unknown = JSON.parse(storage.getItem(storedAs) ?? "null");
    return isDraft(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a draft, or removes it. One that is too large for the storage lasts until a reload. */
export function storeDraft(storage: Storage, draft: TextDraft | undefined): void {
  try {
    if (draft === undefined) storage.removeItem(storedAs);
    else storage.setItem(storedAs, JSON.stringify(draft));
  } catch {
    storage.removeItem(storedAs);
  }
}

function isDraft(value: unknown): value is TextDraft {
  if (typeof value !== "object" || value === null) return false;
  const { text, baseRevision, baseText } = value as Partial<Record<keyof TextDraft, unknown>>;
  const isNumber = typeof baseRevision === "string" && /^\d{1,15}$/.test(baseRevision);
  return isNumber && typeof text === "string" && typeof baseText === "string";
}
