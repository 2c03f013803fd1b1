import { switchExchange } from "../switch-exchange.ts";

/** https://docs.mistral.ai/api/endpoint/chat */
export const mistralSwitches = [
  switchExchange({ prompt_mode: "reasoning", random_seed: 7, safe_prompt: true }),
];
