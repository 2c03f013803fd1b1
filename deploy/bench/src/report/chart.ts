import type { Subject } from "../subjects/subject.ts";
import type { FigureName } from "./figures.ts";
import { type Findings, figuresOf } from "./report.ts";

const width = 720;
const labelWidth = 190;
const valueWidth = 80;
const rowHeight = 22;
const barHeight = 14;
const titleHeight = 34;
const panelGap = 14;

interface Panel {
  title: string;
  of: readonly [workload: string, figure: FigureName, digits: number];
}

/** Times that a gateway adds to those of the simulator called directly, which is omitted there. */
const addedTimes: ReadonlySet<FigureName> = new Set(["p99Ms", "firstTokenP99Ms"]);

const panels: readonly Panel[] = [
  {
    title: "Requests per second: JSON, 1 KB, 64 clients (longer is better)",
    of: ["1 KB saturated", "requestsPerSecond", 0],
  },
  {
    title: "CPU ms per request, all gateway processes: JSON, 1 KB (shorter is better)",
    of: ["1 KB saturated", "gatewayCpuMs", 3],
  },
  {
    title: "Added p99 ms with one client: JSON, 1 KB (shorter is better)",
    of: ["1 KB single", "p99Ms", 2],
  },
  {
    title: "Added time to first token p99 ms: 512 streams (shorter is better)",
    of: ["512 streams", "firstTokenP99Ms", 1],
  },
];

/** Colors of medium lightness, visible on white and on black. */
const style = `text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 } .bar { fill: #8b949e } .own { fill: #2f81f7 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }`;

/** Draws the findings as SVG. Panels without measurements are omitted. */
export function chartOf(findings: Findings): string {
  const drawn: string[] = [];
  let top = 0;
  for (const panel of panels) {
    const bars = barsOf(findings, panel);
    if (bars.length === 0) continue;
    drawn.push(draw(panel, bars, top));
    top += titleHeight + bars.length * rowHeight + panelGap;
  }
  const size = `width="${width}" height="${top}" viewBox="0 0 ${width} ${top}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-labelledby="about">`,
    '<title id="about">Tollgate compared with a bare proxy and other gateways</title>',
    `<style>${style}</style>`,
    ...drawn,
    "</svg>\n",
  ].join("\n");
}

interface Bar {
  label: string;
  value: number;
  isOwn: boolean;
}

function barsOf(findings: Findings, { of: [workload, figure] }: Panel): Bar[] {
  const isAdded = addedTimes.has(figure);
  const [direct] = findings.subjects;
  const shownBy = (subject: Subject) => figuresOf(findings, workload, subject)[figure];
  const base = isAdded && direct ? (shownBy(direct) ?? 0) : 0;
  return findings.subjects.flatMap((subject) => {
    const value = shownBy(subject);
    if (value === undefined || (isAdded && subject === direct)) return [];
    const label = subject.title.replaceAll("`", "");
    const isOwn = subject.name === "all" || subject.name === "fleet";
    return { label, value: Math.max(0, value - base), isOwn };
  });
}

function draw({ title, of: [, , digits] }: Panel, bars: readonly Bar[], top: number): string {
  const most = Math.max(...bars.map(({ value }) => value)) || 1;
  const room = width - labelWidth - valueWidth;
  const rows = bars.map(({ label, value, isOwn }, index) => {
    const y = top + titleHeight + index * rowHeight;
    const length = Math.max(1, (value / most) * room);
    const textY = y + barHeight - 3;
    return [
      `<text x="${labelWidth - 8}" y="${textY}" text-anchor="end">${label}</text>`,
      `<rect class="bar${isOwn ? " own" : ""}" x="${labelWidth}" y="${y}" ` +
        `width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>`,
      `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${textY}">` +
        `${value.toFixed(digits)}</text>`,
    ].join("\n");
  });
  return [`<text class="title" x="0" y="${top + 20}">${title}</text>`, ...rows].join("\n");
}
