import { fieldText } from "./model-chain.ts";

const unitNames: Readonly<Record<string, string>> = {
  "1": "each",
  "1000": "per 1,000",
  "1000000": "per 1M",
};

/** Returns the prices of a model on one line: `input $0.15, output $0.60 per 1M`. */
export function pricesText(pricing: unknown): string {
  if (typeof pricing !== "object" || pricing === null) return "no prices";
  const { per, tiers, ...prices } = pricing as Record<string, unknown>;
  const texts = Object.entries(prices).flatMap(([name, price]) => {
    const usd = fieldText(price);
    if (usd === "") return [];
    return `${name === "price" ? "" : `${name.replaceAll("_", " ")} `}$${usd}`;
  });
  if (texts.length === 0) return "no prices";
  const tier = Array.isArray(tiers) ? ", more for long prompts" : "";
  return `${texts.join(", ")} ${unitNames[fieldText(per)] ?? "per 1M"}${tier}`;
}
