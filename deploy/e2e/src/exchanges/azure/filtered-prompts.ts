import type { Exchange } from "../exchange.ts";

const filtered = { filtered: true, severity: "high" };
const safe = { filtered: false, severity: "safe" };

/** https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter#scenario-details */
const refusal = {
  status: 400,
  body: {
    error: {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      type: null,
      param: "prompt",
      code: "content_filter",
      status: 400,
      innererror: {
        code: "ResponsibleAIPolicyViolation",
        content_filter_result: { hate: safe, jailbreak: { filtered: false }, violence: filtered },
      },
    },
  },
};

/** The finish of a filter. Azure bills the prompt and reports no usage: its tokens are counted. */
export const azureFilteredPrompts: readonly Exchange[] = [false, true].map((stream) => ({
  name: `a filtered prompt is a filtered answer${stream ? ", streamed" : ""}`,
  stream,
  reply: refusal,
  expected: { finish: "content_filter" },
  usage: { input: 5, output: 0 },
  cost: 50,
}));
