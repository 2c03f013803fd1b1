import { switchExchange } from "../switch-exchange.ts";

/** https://openrouter.ai/docs/api-reference/parameters */
export const openrouterSwitches = [
  switchExchange({ reasoning: { max_tokens: 64 }, include_reasoning: true }),
];
