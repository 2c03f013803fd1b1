import { z } from "zod";

/** A list as its API returns it, whole or a page of it, or the list alone. */
function listOf<T extends z.ZodType>(item: T) {
  const page = z.looseObject({ items: z.array(item) }).transform(({ items }) => items);
  const list = z.union([z.array(item), page]);
  return z.union([list, z.looseObject({ data: list }).transform(({ data }) => data)]).default([]);
}

const channel = z.looseObject({
  name: z.string(),
  type: z.number(),
  status: z.number().default(1),
  base_url: z.string().nullish(),
  models: z.string().default(""),
  model_mapping: z.string().nullish(),
  group: z.string().default("default"),
  priority: z.number().nullish(),
  weight: z.number().nullish(),
});

const token = z.looseObject({
  name: z.string(),
  user_id: z.number().optional(),
  status: z.number().default(1),
  remain_quota: z.number().default(0),
  unlimited_quota: z.boolean().default(false),
  expired_time: z.number().default(-1),
  model_limits_enabled: z.boolean().default(false),
  model_limits: z.string().nullish(),
  allow_ips: z.string().nullish(),
  group: z.string().nullish(),
});

const option = z.object({ key: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) });

/**
 * One file of three responses of its API: `channels` of `GET /api/channel/`, `tokens` of
 * `GET /api/token/`, and `options` of `GET /api/option/`.
 */
export const newApiExport = z.object({
  channels: listOf(channel),
  tokens: listOf(token),
  options: listOf(option),
});

export type NewApiExport = z.infer<typeof newApiExport>;
export type Channel = z.infer<typeof channel>;
export type Token = z.infer<typeof token>;
