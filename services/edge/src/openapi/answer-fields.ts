import { z } from "zod";

/** Kinds of fields that more than one answer has. */

/** A number as the books write it; typed as unknown, since it is never a float on its way. */
export const usd = z
  .unknown()
  .meta({ type: "number", description: "US dollars, to six decimals." });
export const unixSeconds = z.int().describe("Unix time, in seconds.");
export const tokens = z.int().describe("Tokens.");
export const requestId = z.string().describe("The `x-request-id` of the request.");
