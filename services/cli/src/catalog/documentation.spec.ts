import { readdir, readFile } from "node:fs/promises";
import { parseCatalog } from "@tollgate/catalog/parse";
import { loadListPrices } from "@tollgate/list-prices/list-prices";
import { vendors } from "@tollgate/providers";
import { expect, test } from "vitest";
import { warningsOf } from "./check-catalog.ts";

const root = new URL("../../../../", import.meta.url);
const docs = (await readdir(new URL("docs/", root))).map((name) => `docs/${name}`);
const paths = ["README.md", ...docs].filter((path) => path.endsWith(".md"));

async function blocksOf(path: string): Promise<{ path: string; block: string }[]> {
  const text = await readFile(new URL(path, root), "utf8");
  const blocks = text.matchAll(/^ *```yaml\n(.*?)^ *```$/gms);
  return Array.from(blocks, ([, block = ""]) => ({ path, block }));
}

const examples = (await Promise.all(paths.map(blocksOf))).flat();
const prices = await loadListPrices(new Date("2026-11-01"));

const providers = "providers: { anthropic: { kind: anthropic, api_key_env: KEY } }";
const model = `${providers}
models:
  - alias: a
    route_type: chat
    context_tokens: 200000
    max_output_tokens: 4096
    chain: [{ provider: anthropic, model: claude-sonnet-4-5 }]
`;

function indented(text: string, by: string): string {
  return text.replaceAll(/^(?=.)/gm, by);
}

/** Returns the catalog that an example is, or is a part of: values of the chart, models, or prices. */
function catalogIn(block: string): string {
  const [, margin = ""] = /^( *)\S/.exec(block) ?? [];
  const text = block.replaceAll(new RegExp(`^${margin}`, "gm"), "");
  const [, ofChart] = /^catalog:\n {2}content:\n((?: {4}.*\n)+)/m.exec(text) ?? [];
  if (ofChart !== undefined) return ofChart.replaceAll(/^ {4}/gm, "");
  if (/^models:/m.test(text)) return text;
  return /^- /m.test(text) ? `${providers}\nmodels:\n${text}` : model + indented(text, "    ");
}

test("there are examples", () => {
  expect(examples.length).toBeGreaterThan(14);
});

test.each(examples)("$path: its own check has nothing to say of $block", ({ block }) => {
  const catalog = parseCatalog(catalogIn(block), vendors);
  const { own, compared } = warningsOf(catalog, prices);
  expect([...own, ...compared]).toEqual([]);
});
