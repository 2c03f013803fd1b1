import type { CatalogSlot } from "@tollgate/proto/tollgate/v1/model";
import type { SlotState } from "@tollgate/proto/tollgate/v1/slot";
import { formatTable, type TableColumn } from "../text/table.ts";
import { isoTime } from "../text/times.ts";
import type { Command } from "./command.ts";

/** `tollgate model list` */
export const listModelsCommand: Command = {
  takes: [],
  options: [],
  async run(_args, _options, operator) {
    const { models } = await operator().listModels({});
    const rows = models.flatMap(({ alias, routeType, slots }) =>
      slots.map((slot, index) => ({ alias: index === 0 ? alias : "", routeType, slot })),
    );
    return {
      lines: formatTable(columns, rows),
      json: {
        models: models.map(({ alias, routeType, isUnlisted, slots }) => ({
          alias,
          route_type: routeType,
          is_unlisted: isUnlisted,
          slots: slots.map(slotJson),
        })),
      },
    };
  },
};

interface Row {
  alias: string;
  routeType: string;
  slot: CatalogSlot;
}

const columns: TableColumn<Row>[] = [
  { title: "MODEL", cell: ({ alias }) => alias, align: "left" },
  { title: "ROUTE", cell: ({ routeType }) => routeType, align: "left", rank: 1 },
  { title: "SLOT", cell: ({ slot }) => slot.state?.slotId ?? "", align: "left" },
  { title: "STATE", cell: ({ slot }) => stateText(slot.state), align: "left" },
  { title: "SERVED", cell: ({ slot }) => String(slot.state?.calls?.served ?? 0n) },
  { title: "FAILED", cell: ({ slot }) => String(slot.state?.calls?.failed ?? 0n) },
  { title: "P50 MS", cell: ({ slot }) => countText(slot.state?.calls?.durationP50Ms), rank: 2 },
  { title: "P99 MS", cell: ({ slot }) => countText(slot.state?.calls?.durationP99Ms), rank: 3 },
];

function countText(count: number | undefined): string {
  return count === undefined ? "" : String(count);
}

function stateText(state: SlotState | undefined): string {
  if (state?.disabled !== undefined) return "disabled";
  const open = state?.openBreakers ?? 0;
  return open === 0 ? "in use" : `out in ${open}`;
}

/** `tollgate slot disable` and `tollgate slot enable` */
export function updateSlotCommand(action: "disable" | "enable"): Command {
  const isDisabled = action === "disable";
  return {
    takes: ["SLOT"],
    options: isDisabled ? ["reason"] : [],
    async run([slot = ""], { reason = "" }, operator) {
      const { state } = await operator().updateSlot({ slot, isDisabled, reason });
      const effect = isDisabled ? "requests skip it" : "requests use it again";
      return {
        lines: [`slot ${slot} is ${action}d; ${effect} within seconds`],
        json: stateJson(state),
      };
    },
  };
}

function slotJson({ provider, upstreamModel, kind, prices, state }: CatalogSlot) {
  return {
    ...stateJson(state),
    provider,
    upstream_model: upstreamModel,
    kind,
    prices: prices.map(({ dimension, pricePicoUsd, per, listPricePicoUsd, aboveInputTokens }) => ({
      dimension,
      price_pico_usd: String(pricePicoUsd),
      per: String(per),
      list_price_pico_usd: listPricePicoUsd === undefined ? null : String(listPricePicoUsd),
      above_input_tokens: String(aboveInputTokens),
    })),
  };
}

function stateJson(state: SlotState | undefined) {
  const { disabled, calls } = state ?? {};
  return {
    slot: state?.slotId ?? "",
    disabled: disabled ? { reason: disabled.reason, since: isoTime(disabled.since) } : null,
    open_breakers: state?.openBreakers ?? 0,
    calls: calls
      ? {
          served: String(calls.served),
          failed: String(calls.failed),
          duration_p50_ms: calls.durationP50Ms ?? null,
          duration_p99_ms: calls.durationP99Ms ?? null,
          errors: calls.errors.map((error) => ({ code: error.code, calls: String(error.calls) })),
        }
      : null,
  };
}
