import { readFile, writeFile } from "node:fs/promises";
import { chartOf } from "./chart.ts";
import { type Findings, reportOf } from "./report.ts";

const readme = new URL("../../../README.md", import.meta.url);
const chart = new URL("../bench.svg", import.meta.url);
const begin = "<!-- What `npm run bench -- --write` found. -->";
const end = "<!-- Until here. -->";

/** Puts the findings between the README's two marks, and the chart into a file of its own. */
export async function writeReadme(findings: Findings): Promise<void> {
  const text = await readFile(readme, "utf8");
  const [before, rest] = split(text, begin);
  const [, after] = split(rest, end);
  const image =
    "![Requests a second, CPU a request and added time, compared](deploy/bench/bench.svg)";
  const block = [begin, image, reportOf(findings).trim(), end].join("\n\n");
  await writeFile(chart, chartOf(findings));
  await writeFile(readme, before + block + after);
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`the README has lost its mark ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
