import { describeSizes, modelForSize } from "@tollgate/catalog/image-sizes";
import { invalidParam } from "@tollgate/core/errors";
import { unitsFor, usdJson } from "@tollgate/core/money";
import type { JsonRoute, JsonRouteResponse, SlotAttempt } from "@tollgate/generation/json-route";
import type { GenerateImagesRequest } from "@tollgate/proto/tollgate/v1/image";
import { SlotFailure } from "@tollgate/upstream/failure";
import { returnedImages } from "./returned-image.ts";

/** How many members of a response without an image the log names: the provider may charge for it. */
const maxNamedMembers = 8;

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
  least: () => 1n,
  requested: ({ images }) => (images === undefined ? {} : { n: images }),
  ownMembers: ({ images }, attempt) =>
    images === undefined ? {} : { n: affordableImages(images, attempt) },
  measure(response, { images = 1 }, attempt) {
    const returned = returnedImages(response).length;
    if (returned === 0) {
      const members = Object.keys(response).slice(0, maxNamedMembers).join(", ");
      const message = `the provider's response has no image; its members are ${members || "none"}`;
      throw new SlotFailure("unusable", message);
    }
    const quantity = BigInt(Math.min(returned, affordableImages(images, attempt)));
    return { quantity, basis: "returned" };
  },
};

/** Returns the client's response: the provider's images, with the gateway's usage. */
export function imagesResponse({ value, used, cost }: JsonRouteResponse, now: Date): Uint8Array {
  const images = Number(used.quantity);
  const created = isTime(value.created) ? value.created : Math.floor(now.getTime() / 1_000);
  const usage = { images, cost: usdJson(cost) };
  return Buffer.from(
    JSON.stringify({ created, data: returnedImages(value).slice(0, images), usage }),
  );
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
