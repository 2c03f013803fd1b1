import { readdir, readFile } from "node:fs/promises";

const root = new URL("../../../", import.meta.url);

/** A page of the documentation. */
export interface DocumentationPage {
  /** Relative to the root of the repository, for example `docs/money.md`. */
  path: string;
  text: string;
}

/** Returns the pages at the root of the repository and in `docs`. */
export async function readPages(): Promise<DocumentationPage[]> {
  const pages = await Promise.all(["", "docs/"].map(readFolder));
  return pages.flat();
}

/** Returns the page at `path`, relative to the root of the repository. */
export async function readPage(path: string): Promise<DocumentationPage> {
  return { path, text: await readFile(new URL(path, root), "utf8") };
}

/** Returns the targets of a page's links and images, without those in code. */
export function linksIn({ text }: DocumentationPage): string[] {
  const links = withoutCode(text).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g);
  return Array.from(links, ([, target = ""]) => target);
}

/** Returns the anchors of a page's headings, as GitHub names them. */
export function anchorsIn({ text }: DocumentationPage): string[] {
  const headings = text.replaceAll(fences, "").matchAll(/^#{1,6} (.+)$/gm);
  return Array.from(headings, ([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Returns the paths of files and folders that a page names in code, without those of an example. */
export function pathsIn({ text }: DocumentationPage): string[] {
  const paths = text.matchAll(/`((?:charts|deploy|docs|proto|services)\/[^`\s<>*{}…]*)`/g);
  return Array.from(paths, ([, path = ""]) => path);
}

/** Returns the code in the first two cells of each row of a page's tables. */
export function codeInTables({ text }: DocumentationPage): string[] {
  const rows = text.matchAll(/^\|([^|]*)\|([^|]*)\|/gm);
  return Array.from(rows, ([, first = "", second = ""]) => [codeIn(first), codeIn(second)]).flat(2);
}

function codeIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code);
}

const fences = /^ *```.*?^ *```$/gms;

function withoutCode(text: string): string {
  return text.replaceAll(fences, "").replaceAll(/`[^`\n]*`/g, "");
}

async function readFolder(folder: string): Promise<DocumentationPage[]> {
  const names = await readdir(new URL(`./${folder}`, root));
  return Promise.all(
    names.filter((name) => name.endsWith(".md")).map((name) => readPage(`${folder}${name}`)),
  );
}
