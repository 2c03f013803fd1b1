import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { unitsFor, usdJson } from "@tollgate/core/money";
import type { Attempt, JsonResponse, JsonRoute } from "@tollgate/generation/json-route";
import type { GenerateImagesRequest } from "@tollgate/proto/tollgate/v1/image";
import { SlotFailure } from "@tollgate/upstream/failure";

/** Images bill what came: it may be less than was attempted for, and no more of it is handed on. */
export const generation: JsonRoute<GenerateImagesRequest> = {
  routeType: "images",
  bound: ({ images = 1 }) => BigInt(images),
  decide: ({ images }, attempted) =>
    images === undefined ? {} : { n: affordableImages(images, attempted) },
  measure(answer, { images = 1 }, attempted) {
    const came = imagesOf(answer).length;
    if (came === 0) throw new SlotFailure("unusable", "the provider's answer has no image URL");
    const quantity = BigInt(Math.min(came, affordableImages(images, attempted)));
    return { quantity, basis: "returned" };
  },
};

/** The client's answer: the provider's URLs as they are, and our own usage in place of its. */
export function imagesAnswer({ value, used, cost }: JsonResponse, now: Date): Uint8Array {
  const images = Number(used.quantity);
  const created = isTime(value.created) ? value.created : Math.floor(now.getTime() / 1_000);
  const usage = { images, cost: usdJson(cost) };
  return Buffer.from(JSON.stringify({ created, data: imagesOf(value).slice(0, images), usage }));
}

function isTime(seconds: unknown): seconds is number {
  return Number.isSafeInteger(seconds) && Number(seconds) >= 0;
}

/** No more images than the hold pays for, and at least the one that a provider is attempted for. */
function affordableImages(images: number, { slot, held }: Attempt): number {
  const price = slot.pricing.input;
  if (price.picoUsd === 0n) return images;
  const affordable = unitsFor(held, price);
  if (affordable >= BigInt(images)) return images;
  return affordable < 1n ? 1 : Number(affordable);
}

interface Image {
  url: string;
  revised_prompt?: string;
}

function imagesOf({ data }: JsonObject): Image[] {
  if (!Array.isArray(data)) return [];
  return data.flatMap((item: unknown): Image[] => {
    if (!isJsonObject(item) || typeof item.url !== "string") return [];
    const { url, revised_prompt } = item;
    return [typeof revised_prompt === "string" ? { url, revised_prompt } : { url }];
  });
}
