import { describeSizes, modelForSize } from "@tollgate/catalog/image-sizes";
import { invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { unitsFor, usdJson } from "@tollgate/core/money";
import type { JsonRoute, JsonRouteResponse, SlotAttempt } from "@tollgate/generation/json-route";
import type { GenerateImagesRequest } from "@tollgate/proto/tollgate/v1/image";
import { SlotFailure } from "@tollgate/upstream/failure";

/**
 * Bills the images that the provider returns, which may be fewer than requested. Images beyond
 * those that the hold covers are neither billed nor sent to the client.
 */
export const imageGeneration: JsonRoute<GenerateImagesRequest> = {
  routeType: "images",
  chooseModel(model, { size }) {
    const chosen = modelForSize(model, size);
    if (chosen !== undefined) return chosen;
    throw invalidParam("size", `must be ${describeSizes(model)}`);
  },
  bound: ({ images = 1 }) => BigInt(images),
  requested: ({ images }) => (images === undefined ? {} : { n: images }),
  ownMembers: ({ images }, attempt) =>
    images === undefined ? {} : { n: affordableImages(images, attempt) },
  measure(response, { images = 1 }, attempt) {
    const returned = imagesOf(response).length;
    if (returned === 0) {
      throw new SlotFailure("unusable", "the provider's response has no image URL");
    }
    const quantity = BigInt(Math.min(returned, affordableImages(images, attempt)));
    return { quantity, basis: "returned" };
  },
};

/** Returns the client's response: the provider's image URLs unchanged, with the gateway's usage. */
export function imagesResponse({ value, used, cost }: JsonRouteResponse, now: Date): Uint8Array {
  const images = Number(used.quantity);
  const created = isTime(value.created) ? value.created : Math.floor(now.getTime() / 1_000);
  const usage = { images, cost: usdJson(cost) };
  return Buffer.from(JSON.stringify({ created, data: imagesOf(value).slice(0, images), usage }));
}

function isTime(seconds: unknown): seconds is number {
  return Number.isSafeInteger(seconds) && Number(seconds) >= 0;
}

/** Returns how many images to request: at most what the hold covers, and at least 1. */
function affordableImages(images: number, { slot, held }: SlotAttempt): number {
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
