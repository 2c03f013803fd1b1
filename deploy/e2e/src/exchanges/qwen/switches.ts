import { switchExchange } from "../switch-exchange.ts";

/** https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions */
export const qwenSwitches = [
  switchExchange({ enable_thinking: true, thinking_budget: 64, repetition_penalty: 1.1 }),
];
