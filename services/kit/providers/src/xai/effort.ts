/** Models that think without a switch, or not at all: https://docs.x.ai/docs/guides/reasoning */
const withoutSwitch = /^grok-(2|3(?!-mini)|4(?!\.[2-9])|code)|non-reasoning/;

/** Whether the switch of thinking is sent to a model, which refuses one that it does not have. */
export function takesEffort(model: string): boolean {
  return !withoutSwitch.test(model);
}
