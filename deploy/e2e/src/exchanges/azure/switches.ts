import { switchExchange } from "../switch-exchange.ts";

/** https://learn.microsoft.com/azure/ai-foundry/openai/latest */
export const azureSwitches = [switchExchange({ prompt_cache_key: "k", verbosity: "low" })];
