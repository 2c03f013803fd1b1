import { chatModel, slot, unitModel } from "./entries.ts";

const own = { input: "0.10", output: "0.50" };

/** Plans of accounts. */
export const testPlans = {
  "test-half": { factor: "0.5" },
  "test-own": { factor: "2", models: { "test-plan": own } },
};

/** Models whose slots have costs. */
export function planModels() {
  const pricing = { input: "1", cached_input: "0.5", output: "4" };
  const cost = { input: "0.4", output: "2" };
  return [
    chatModel("test-plan", [{ ...slot("sim", "planned"), cost }], { pricing }),
    // The first slot has room for one call; the second one costs ten times as much.
    chatModel(
      "test-plan-full",
      [
        { ...slot("long_timeout", "cheap-one-at-a-time"), parallel: 1 },
        { ...slot("long_timeout", "after-cheap"), pricing: { input: "10", output: "40" } },
      ],
      { pricing },
    ),
    unitModel("rerank", "test-plan-rerank", "planned", { per: 1_000, price: "2.00" }),
  ];
}
