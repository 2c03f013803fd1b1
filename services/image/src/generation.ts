import type { Slot } from "@tollgate/kit/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/kit/json";
import type { JsonAnswer, JsonRoute } from "@tollgate/kit/json-route";
import { type NanoUsd, unitsFor, usdJson } from "@tollgate/kit/money";
import { SlotFailure } from "@tollgate/kit/upstream/failure";
import type { GenerateImagesRequest } from "@tollgate/proto/tollgate/v1/image";

/** Images bill what came, which may be less than was asked for. */
export const generation: JsonRoute<GenerateImagesRequest> = {
  routeType: "images",
  bound: ({ images = 1 }) => BigInt(images),
  decide: ({ images }, slot, held) =>
    images === undefined ? {} : { n: affordableImages(images, slot, held) },
  measure(answer) {
    const images = imagesOf(answer);
    if (images.length === 0) {
      throw new SlotFailure("unusable", "the provider's answer has no image URL");
    }
    return { quantity: BigInt(images.length), basis: "returned" };
  },
};

/** The client's answer: the provider's URLs as they are, and our own usage in place of its. */
export function imagesAnswer({ value, used, cost }: JsonAnswer, now: Date): Uint8Array {
  const created =
    typeof value.created === "number" ? value.created : Math.floor(now.getTime() / 1_000);
  const usage = { images: Number(used.quantity), cost: usdJson(cost) };
  return Buffer.from(JSON.stringify({ created, data: imagesOf(value), usage }));
}

/** No more images than the hold pays for, and at least the one that a provider is asked for. */
function affordableImages(images: number, slot: Slot, held: NanoUsd): number {
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
