const storageKey = "activity-views";

/** A view of Activity: the query string of its address, with a name. */
export interface SavedView {
  name: string;
  query: string;
}

/** Returns the views that this browser has stored, without what is not one. */
export function readViews(): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isView) : [];
  } catch {
    return [];
  }
}

/** Stores the views in this browser. One that stores nothing has them until the page is left. */
export function storeViews(views: readonly SavedView[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(views));
  } catch {
    // A browser may refuse to store anything.
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== "object" || value === null) return false;
  const { name, query } = value as Partial<SavedView>;
  return typeof name === "string" && typeof query === "string";
}
