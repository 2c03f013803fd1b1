/**
 * Families of models that do not think, by their names at OpenAI and at others that speak its API. Most
 * providers refuse the switch for them.
 */
const withoutThinking =
  /(^|[/.])(gpt-(3|4)|chatgpt-4|(meta-)?llama|codellama|mixtral|gemma-?[1-3]|qwen-?2|phi-?[1-3]|command-r)/i;
const thinking = /distill|nemotron|reason|think/i;

/** Whether the switch of thinking is sent to a model: to all but those that are known not to think. */
export function takesEffort(model: string): boolean {
  return !withoutThinking.test(model) || thinking.test(model);
}
