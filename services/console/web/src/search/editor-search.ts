import { type CreateSearch, readCreate } from "./list-search.ts";
import { type RawSearch, readOne } from "./read.ts";

/** The parts of the editor. Where there is room, the YAML stands beside the others. */
export const editorTabs = {
  providers: "Providers",
  models: "Models",
  plans: "Plans",
  yaml: "YAML",
} as const;

export type EditorTab = keyof typeof editorTabs;

/** The address of the catalog's editor. `create` adds a provider. */
export interface EditorSearch extends CreateSearch {
  tab?: EditorTab;
  /** The line of the YAML that is selected, from 1. */
  line?: string;
}

/** Returns what an address asks of the catalog's editor. */
export function readEditorSearch(raw: RawSearch): EditorSearch {
  const tab = readOne(raw, "tab", Object.keys(editorTabs) as EditorTab[]);
  const line = String(raw.line ?? "");
  return {
    ...(tab !== undefined && { tab }),
    ...readCreate(raw),
    ...(/^[1-9]\d{0,5}$/.test(line) && { line }),
  };
}
