import { formatUsd } from "@tollgate/core/money";
import type { UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { cutText, fitting, gap, layOut, type TableColumn } from "./table.ts";

/** The narrowest that names are cut to. */
const minNameWidth = 12;

/**
 * Returns the lines of a table of sums, `width` characters wide at most: columns that do not fit are
 * left out, and long names are cut. Several sums end with their total.
 */
export function usageTable(sums: readonly UsageSum[], title: string, width: number): string[] {
  const rows = sums.length > 1 ? [...sums, totalOf(sums)] : sums;
  const isCollected = rows.every((sum) => sum.uncollectedNanoUsd === 0n);
  const columns: TableColumn<UsageSum>[] = [
    { title: "REQUESTS", cell: (sum) => count(sum.requests) },
    { title: "FAILED", cell: (sum) => count(sum.failedRequests), rank: 4 },
    { title: "QUANTITY", cell: ({ quantities }) => quantities.map(quantityText).join(", ") },
    { title: "PROMPT", cell: (sum) => count(sum.promptTokens), rank: 3 },
    { title: "CACHED", cell: (sum) => count(sum.cachedPromptTokens), rank: 1 },
    { title: "COMPLETION", cell: (sum) => count(sum.completionTokens), rank: 2 },
    { title: "CHARGED USD", cell: (sum) => formatUsd(sum.chargedNanoUsd) },
  ];
  if (!isCollected) {
    columns.push({ title: "UNCOLLECTED USD", cell: (sum) => formatUsd(sum.uncollectedNanoUsd) });
  }
  if (rows.some((sum) => sum.providerCostNanoUsd > 0n)) {
    columns.push(
      { title: "PROVIDER USD", cell: (sum) => formatUsd(sum.providerCostNanoUsd), rank: 5 },
      { title: "MARGIN", cell: marginText, rank: 5 },
    );
  }
  const shown = fitting(
    columns.map((column) => layOut(column, rows)),
    width - minNameWidth,
  );
  const taken = shown.reduce((sum, column) => sum + gap.length + column.width, 0);
  const longest = Math.max(title.length, ...rows.map(({ name }) => name.length));
  const nameWidth = Math.max(minNameWidth, Math.min(longest, width - taken));
  const names = [title.toUpperCase(), ...rows.map(({ name }) => cutText(name, nameWidth))];
  return names.map((name, row) =>
    [name.padEnd(nameWidth), ...shown.map((column) => column.cells[row] ?? "")].join(gap),
  );
}

/** Returns the sum of all, which is named `total`. */
function totalOf(sums: readonly UsageSum[]): UsageSum {
  const [first, ...others] = sums;
  if (first === undefined) throw new RangeError("a total needs a sum");
  const units = new Map<string, bigint>();
  for (const { unitType, quantity } of sums.flatMap(({ quantities }) => quantities)) {
    units.set(unitType, (units.get(unitType) ?? 0n) + quantity);
  }
  const add = (field: NumberField) => others.reduce((sum, one) => sum + one[field], first[field]);
  return {
    ...first,
    name: "total",
    requests: add("requests"),
    failedRequests: add("failedRequests"),
    quantities: [...units].map(([unitType, quantity]) => ({
      $typeName: "tollgate.v1.UnitQuantity",
      unitType,
      quantity,
    })),
    promptTokens: add("promptTokens"),
    cachedPromptTokens: add("cachedPromptTokens"),
    completionTokens: add("completionTokens"),
    chargedNanoUsd: add("chargedNanoUsd"),
    uncollectedNanoUsd: add("uncollectedNanoUsd"),
    providerCostNanoUsd: add("providerCostNanoUsd"),
    costedChargeNanoUsd: add("costedChargeNanoUsd"),
  };
}

/** Returns the part of what was charged that providers do not get, as a percentage. */
function marginText({ costedChargeNanoUsd: charged, providerCostNanoUsd: cost }: UsageSum): string {
  if (charged === 0n) return "–";
  return `${((Number(charged - cost) / Number(charged)) * 100).toFixed(1)} %`;
}

/** The fields of a sum that are numbers. */
type NumberField = {
  [Field in keyof UsageSum]-?: UsageSum[Field] extends bigint ? Field : never;
}[keyof UsageSum];

function quantityText({ unitType, quantity }: { unitType: string; quantity: bigint }): string {
  return `${count(quantity)} ${unitType}`.trimEnd();
}

function count(amount: bigint): string {
  return amount.toLocaleString("en");
}
