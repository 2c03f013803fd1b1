import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isSeq,
  LineCounter,
  parseDocument,
} from "yaml";

/** What an entry of the catalog has, as it was read: it may be of any type. */
export type DraftEntry = Readonly<Record<string, unknown>>;

export type DraftPath = readonly (string | number)[];

/** Why a text is no YAML. */
export interface BrokenText {
  message: string;
  /** From 1. */
  line: number;
}

/** A draft as the forms show it. */
export interface DraftDocument {
  /** Why the forms cannot change it: one reason at least. The entries are then empty. */
  broken?: readonly BrokenText[];
  providers: ReadonlyMap<string, DraftEntry>;
  models: readonly DraftEntry[];
  plans: ReadonlyMap<string, DraftEntry>;
  /** Returns the line of the deepest part of a path that the text has; undefined if it has none of it. */
  lineOf(path: DraftPath): number | undefined;
}

/** One error in a text that is no YAML leads to more. */
const maxErrors = 20;

/** Reads a draft. */
export function readDraft(text: string): DraftDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    const empty = { providers: new Map(), models: [], plans: new Map(), lineOf: () => undefined };
    const broken = document.errors.slice(0, maxErrors).map(({ message, pos }) => ({
      message: (message.split("\n")[0] ?? "").replace(/ at line .*$/, ""),
      line: lines.linePos(pos[0]).line,
    }));
    return { ...empty, broken };
  }
  const value = contentOf(document);
  const models = Array.isArray(value.models) ? value.models : [];
  return {
    providers: entriesOf(value.providers),
    models: models.map(toEntry),
    plans: entriesOf(value.plans),
    lineOf: (path) => lineOf(document, path, lines),
  };
}

/** Returns the text with fields of the entry at a path changed. Those that are undefined are removed. */
export function withFields(text: string, path: DraftPath, fields: DraftEntry): string {
  return edited(text, (document) => {
    ensureEntry(document, path);
    for (const [name, value] of Object.entries(fields)) setField(document, [...path, name], value);
  });
}

/** Returns the text with another model at the end. */
export function withModel(text: string, model: DraftEntry): string {
  return edited(text, (document) => {
    if (!isSeq(document.get("models"))) document.set("models", document.createNode([]));
    asBlock(document.get("models"));
    document.addIn(["models"], document.createNode(withoutUndefined(model)));
  });
}

/** Returns the text without what is at a path. */
export function without(text: string, path: DraftPath): string {
  return edited(text, (document) => {
    document.deleteIn(path);
  });
}

function edited(text: string, change: (document: Document) => void): string {
  const document: Document = parseDocument(text);
  if (!isMap(document.contents)) document.contents = document.createNode({}) as never;
  for (const name of ["providers", "models"]) {
    if (document.get(name) === undefined || document.get(name) === null) {
      document.set(name, document.createNode(name === "models" ? [] : {}));
    }
  }
  change(document);
  // Long flow maps stay on their line.
  const written = document.toString({ lineWidth: 0, indentSeq: !/^- /m.test(text) });
  return asWritten(written, text);
}

/** Returns a text whose lines are those of another one where they differ in the space within brackets. */
function asWritten(text: string, original: string): string {
  const squeezed = (line: string) =>
    line.replace(/([[{])[ ]+/g, "$1").replace(/[ ]+([\]}])/g, "$1");
  const known = new Map(original.split("\n").map((line) => [squeezed(line), line]));
  const lines = text.split("\n").map((line) => known.get(squeezed(line)) ?? line);
  const same = lines.join("\n");
  const meaning = (one: string) => JSON.stringify(contentOf(parseDocument(one)));
  // The space may be that of a text in quotes.
  return meaning(same) === meaning(text) ? same : text;
}

function ensureEntry(document: Document, path: DraftPath): void {
  if (isMap(document.getIn(path, true))) return;
  asBlock(document.getIn(path.slice(0, -1), true));
  document.setIn(path, document.createNode({ a: 1 }));
  document.deleteIn([...path, "a"]);
}

/** An empty collection is written as `[]` or `{}`. What is added to it gets lines of its own. */
function asBlock(node: unknown): void {
  if (isCollection(node) && node.items.length === 0) node.flow = false;
}

/** An equal value stays as it is written, with its comments. */
function setField(document: Document, path: DraftPath, value: unknown): void {
  const node = document.getIn(path, true);
  if (value === undefined) {
    if (node !== undefined) document.deleteIn(path);
    return;
  }
  const present = isNode(node) ? node.toJS(document) : node;
  if (JSON.stringify(present) === JSON.stringify(value)) return;
  document.setIn(path, document.createNode(value));
}

function withoutUndefined(entry: DraftEntry): DraftEntry {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

/** The text may be of someone who publishes it for the first time: aliases must not expand without end. */
function contentOf(document: Document): DraftEntry {
  try {
    return toEntry(document.toJS({ maxAliasCount: 100 }));
  } catch {
    return {};
  }
}

function entriesOf(value: unknown): ReadonlyMap<string, DraftEntry> {
  return new Map(Object.entries(toEntry(value)).map(([name, one]) => [name, toEntry(one)]));
}

/** Returns a value that may be an entry; an empty one where it is none. */
export function toEntry(value: unknown): DraftEntry {
  const isEntry = typeof value === "object" && value !== null && !Array.isArray(value);
  return isEntry ? (value as DraftEntry) : {};
}

function lineOf(document: Document, path: DraftPath, lines: LineCounter): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(key) === String(part));
      if (pair === undefined) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(part)];
      offset = startOf(isPair(item) ? item.key : item) ?? offset;
      node = item;
    } else break;
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
