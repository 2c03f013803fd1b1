import { readFile, writeFile } from "node:fs/promises";
import { chartOf } from "./chart.ts";
import { type Findings, reportOf } from "./report.ts";

const page = new URL("../../../docs/benchmarks.md", import.meta.url);
const chart = new URL("../../../docs/images/benchmarks.svg", import.meta.url);
const begin = "<!-- Written by `npm run bench -- compare --write`. -->";
const end = "<!-- End of what it writes. -->";

/** Writes the findings between the two marks of the benchmarks page, and the chart beside it. */
export async function writeBenchmarksPage(findings: Findings): Promise<void> {
  const text = await readFile(page, "utf8");
  const [before, rest] = split(text, begin);
  const [, after] = split(rest, end);
  const image = "![Requests per second, CPU per request and added time](images/benchmarks.svg)";
  const block = [begin, image, reportOf(findings).trim(), end].join("\n\n");
  await writeFile(chart, chartOf(findings));
  await writeFile(page, before + block + after);
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`docs/benchmarks.md has no mark ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
