import type { IncomingMessage } from "node:http";
import type { Model } from "@tollgate/catalog/model";
import { invalidParam } from "@tollgate/core/errors";
import type { z } from "zod";
import { queryOf } from "../../http/query.ts";
import type { anthropicListSchema, anthropicModelSchema } from "./anthropic-schema.ts";

type List = z.infer<typeof anthropicListSchema>;
type Entry = z.infer<typeof anthropicModelSchema>;

/** https://docs.claude.com/en/api/models-list */
export const defaultPageSize = 20;
export const maxPageSize = 1_000;

/**
 * Returns a page of models in the form of Anthropic's API. Throws `invalid_param` for a query that asks for
 * no page of them.
 */
export function anthropicPage(models: readonly Model[], req: IncomingMessage): List {
  const query = queryOf(req);
  const size = pageSize(query.get("limit"));
  const [after, before] = [query.get("after_id"), query.get("before_id")];
  if (after !== null && before !== null) {
    throw invalidParam("before_id", "must not be sent together with after_id");
  }
  const first = after === null ? 0 : indexOfId(models, after, "after_id") + 1;
  const end = before === null ? first + size : indexOfId(models, before, "before_id");
  const start = before === null ? first : Math.max(0, end - size);
  const data = models.slice(start, end).map(anthropicEntry);
  return {
    data,
    has_more: before === null ? end < models.length : start > 0,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

/** Returns a model in the form of Anthropic's API. */
export function anthropicEntry({ alias, created }: Model): Entry {
  const created_at = new Date(created * 1_000).toISOString().replace(".000Z", "Z");
  return { type: "model", id: alias, display_name: alias, created_at };
}

function pageSize(text: string | null): number {
  if (text === null) return defaultPageSize;
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= maxPageSize) return size;
  throw invalidParam("limit", `must be an integer from 1 to ${maxPageSize}`);
}

function indexOfId(models: readonly Model[], id: string, name: string): number {
  const index = models.findIndex(({ alias }) => alias === id);
  if (index >= 0) return index;
  throw invalidParam(name, "must be the id of a model that is listed");
}
