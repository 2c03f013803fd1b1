import { switchExchange } from "../switch-exchange.ts";

/** https://console.groq.com/docs/api-reference#chat-create */
export const groqSwitches = [switchExchange({ reasoning_format: "parsed" })];
