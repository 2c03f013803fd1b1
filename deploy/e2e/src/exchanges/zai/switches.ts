import { switchExchange } from "../switch-exchange.ts";

/** https://docs.z.ai/api-reference/llm/chat-completion */
export const zaiSwitches = [switchExchange({ thinking: { type: "disabled" } })];
