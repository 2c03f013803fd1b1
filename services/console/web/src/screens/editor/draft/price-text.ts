import { fieldText } from "./model-chain.ts";

const unitNames: Readonly<Record<string, string>> = {
  "1": "each",
  "1000": "per 1,000",
  "1000000": "per 1M",
};

/** Returns the prices of a model on one line: `input $0.15, output $0.60 per 1M, web search $0.01 a call`. */
export function pricesText(pricing: unknown): string {
  if (typeof pricing !== "object" || pricing === null) return "no prices";
  const { per, tiers, ...prices } = pricing as Record<string, unknown>;
  const named = Object.entries(prices).flatMap(([name, price]) => {
    const usd = fieldText(price);
    return usd === "" ? [] : [{ name: name.replaceAll("_", " "), usd }];
  });
  const units = named.filter(({ name }) => !isTool(name));
  const texts = units.map(({ name, usd }) => `${name === "price" ? "" : `${name} `}$${usd}`);
  if (texts.length === 0) return "no prices";
  const tools = named
    .filter(({ name }) => isTool(name))
    .map(({ name, usd }) => `, ${name.slice(toolPrefix.length)} $${usd} a call`);
  const tier = Array.isArray(tiers) ? ", more for long prompts" : "";
  return `${texts.join(", ")} ${unitNames[fieldText(per)] ?? "per 1M"}${tools.join("")}${tier}`;
}

/** The price of a tool is that of one call, whatever `per` is. */
const toolPrefix = "tool:";

function isTool(name: string): boolean {
  return name.startsWith(toolPrefix);
}
