import { z } from "zod";

/** Fields that more than one response has. */

/** An exact decimal number. It is typed as unknown, because it is never a float in the gateway. */
export const usd = z
  .unknown()
  .meta({ type: "number", description: "Amount in US dollars, with up to six decimals." });
export const unixSeconds = z.int().describe("Time in seconds since the Unix epoch.");
export const tokens = z.int().describe("Number of tokens.");
export const requestId = z.string().describe("The request's `x-request-id`.");
