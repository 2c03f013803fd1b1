import { switchExchange } from "../switch-exchange.ts";

/** https://docs.vllm.ai/en/stable/serving/openai_compatible_server/ */
export const vllmSwitches = [switchExchange({ chat_template_kwargs: { enable_thinking: false } })];
