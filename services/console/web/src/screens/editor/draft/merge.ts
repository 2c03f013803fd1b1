import { isMap, isNode, isSeq, parseDocument } from "yaml";
import { type DraftEntry, readDraft } from "./document.ts";

export interface MergedText {
  text: string;
  /** The entries that both have changed, for people. Not empty: the text is the newest one. */
  clashes: readonly string[];
}

interface Texts {
  /** The text that both began with. */
  base: string;
  own: string;
  newest: string;
}

/** Returns the newest text with what `own` has changed of `base`, by entries: providers, models, other fields. */
export function mergeTexts({ base, own, newest }: Texts): MergedText {
  const [before, mine, theirs] = [entriesOf(base), entriesOf(own), entriesOf(newest)];
  if (before === undefined || mine === undefined || theirs === undefined) {
    return { text: newest, clashes: ["a text that is no catalog"] };
  }
  const document = parseDocument(newest);
  const clashes: string[] = [];
  for (const name of new Set([...before.keys(), ...mine.keys()])) {
    const [old, ours, other] = [before.get(name), mine.get(name), theirs.get(name)];
    if (isSame(old, ours) || isSame(ours, other)) continue;
    if (!isSame(old, other)) {
      clashes.push(name);
      continue;
    }
    const source = ours ?? other ?? old;
    if (source !== undefined) setEntry(document, source, ours?.value);
  }
  if (clashes.length > 0) return { text: newest, clashes };
  return { text: document.toString({ lineWidth: 0, indentSeq: !/^- /m.test(newest) }), clashes };
}

/** One of the things of a catalog that are merged as a whole. */
interface MergedEntry {
  root: string;
  /** The name of a provider, or the alias of a model. Empty: all of the root. */
  key: string;
  value: unknown;
}

function entriesOf(text: string): ReadonlyMap<string, MergedEntry> | undefined {
  const { broken, providers, models } = readDraft(text);
  if (broken !== undefined) return undefined;
  const value: unknown = parseDocument(text).toJS({ maxAliasCount: 100 });
  const others = Object.entries((value ?? {}) as DraftEntry).filter(
    ([root]) => root !== "providers" && root !== "models",
  );
  return new Map([
    ...[...providers].map(([key, value]): [string, MergedEntry] => [
      `the provider ${key}`,
      { root: "providers", key, value },
    ]),
    ...models.map((value): [string, MergedEntry] => [
      `the model ${value.alias}`,
      { root: "models", key: String(value.alias), value },
    ]),
    ...others.map(([root, value]): [string, MergedEntry] => [root, { root, key: "", value }]),
  ]);
}

function isSame(left: MergedEntry | undefined, right: MergedEntry | undefined): boolean {
  return JSON.stringify(left?.value) === JSON.stringify(right?.value);
}

function setEntry(
  document: ReturnType<typeof parseDocument>,
  { root, key }: MergedEntry,
  value: unknown,
): void {
  const path = key === "" ? [root] : [root, pathPartOf(document, root, key)];
  if (value === undefined) document.deleteIn(path);
  else if (path[1] === -1) document.addIn([root], document.createNode(value));
  else document.setIn(path, document.createNode(value));
}

/** Returns the name of a provider, or the index of a model: -1 for one that the text has not. */
function pathPartOf(
  document: ReturnType<typeof parseDocument>,
  root: string,
  key: string,
): string | number {
  const node = document.get(root, true);
  if (isSeq(node)) {
    return node.items.findIndex((item) => isMap(item) && String(item.get("alias")) === key);
  }
  if (isNode(node)) return key;
  document.set(root, document.createNode(root === "models" ? [] : {}));
  return root === "models" ? -1 : key;
}
