import { readFile } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import { formatPicoUsd, formatUsd } from "@tollgate/core/money";
import type { CatalogPrice } from "@tollgate/proto/tollgate/v1/model";
import type { ProviderModel } from "@tollgate/proto/tollgate/v1/slot_test";
import { formatTable, type TableColumn } from "../text/table.ts";
import type { Command, CommandOptions } from "./command.ts";

/** `tollgate provider test` */
export const testSlotCommand: Command = {
  takes: ["MODEL"],
  mayTake: "SLOT",
  options: ["draft", "with-key", "voice"],
  async run([alias = "", slot = ""], options, operator) {
    const { voice = "" } = options;
    const test = { alias, slot, voice, ...(await unsavedOf(options)) };
    const { result } = await operator().testSlot({ test });
    if (result === undefined) throw new Error("the response has no result");
    const { isServed, status, error, outcome, firstByteMs, totalMs, usage, costNanoUsd } = result;
    const cost = formatUsd(costNanoUsd);
    const used = usage.map(({ dimension, quantity }) => `${quantity} ${dimension}`).join(", ");
    return {
      lines: isServed
        ? [
            `${result.slot} serves: first byte after ${firstByteMs} ms, ${totalMs} ms in all`,
          ].concat(`${used || "nothing"} used, which costs a client ${cost} USD; nobody is charged`)
        : [`${result.slot} does not serve${status === 0 ? "" : `, ${status}`}: ${error}`],
      json: {
        slot: result.slot,
        is_served: isServed,
        ...{ status, error, outcome, first_byte_ms: firstByteMs ?? null, total_ms: totalMs },
        usage: usage.map(({ dimension, quantity, amountNanoUsd }) => ({
          dimension,
          quantity: Number(quantity),
          amount_usd: formatUsd(amountNanoUsd),
        })),
        cost_usd: cost,
      },
      failed: !isServed,
    };
  },
};

/** `tollgate provider models` */
export const listProviderModelsCommand: Command = {
  takes: ["PROVIDER"],
  options: ["draft", "with-key"],
  async run([provider = ""], options, operator) {
    const request = { provider, ...(await unsavedOf(options)) };
    const { models, error, status } = await operator().listProviderModels(request);
    return {
      lines: error === "" ? formatTable(columns, models) : [error],
      json: {
        models: models.map(({ id, contextTokens, listPrices }) => ({
          id,
          context_tokens: contextTokens === undefined ? null : Number(contextTokens),
          list_prices: listPrices.map((price) => ({
            dimension: price.dimension,
            usd: usdOf(price),
            per: Number(price.per),
            above_input_tokens: Number(price.aboveInputTokens),
          })),
        })),
        ...{ error, status },
      },
      failed: error !== "",
    };
  },
};

const columns: readonly TableColumn<ProviderModel>[] = [
  { title: "MODEL", align: "left", cell: ({ id }) => id },
  { title: "CONTEXT", cell: ({ contextTokens }) => String(contextTokens ?? "") },
  { title: "LIST PRICES, USD", align: "left", cell: pricesText, rank: 1 },
];

/** Those of long prompts are in the JSON alone. */
function pricesText({ listPrices }: ProviderModel): string {
  const base = listPrices.filter(({ aboveInputTokens }) => aboveInputTokens === 0n);
  return base.map((price) => `${price.dimension} ${usdOf(price)}/${price.per}`).join(", ");
}

function usdOf({ pricePicoUsd }: CatalogPrice): string {
  return formatPicoUsd(pricePicoUsd);
}

/** Reads the key from standard input, so that no shell history has it. */
async function unsavedOf({ draft, "with-key": withKey }: CommandOptions) {
  if (draft === undefined) return {};
  const apiKey = withKey === true ? (await readText(process.stdin)).trim() : "";
  return { unsaved: { text: await readFile(draft, "utf8"), apiKey } };
}
