import { addUp, failuresOf, type PodLoadResult } from "../load/plan.ts";
import { becomesTrue } from "../wait-for.ts";
import { type ClusterStep, type Context, creditUsd, type Finding, serviceUrl } from "./step.ts";

/** Compares what was charged with the costs of all responses, and verifies the ledger. */
export const books: ClusterStep = {
  name: "books",
  run: (context) => compareCharges(context, addUp(context.results)),
};

/**
 * Waits until nothing is held of the account of a key, compares its charges with the costs of a load, and
 * verifies the ledger.
 */
export async function compareCharges(context: Context, load: PodLoadResult): Promise<Finding> {
  let credits = await readCredits(context);
  const isSettled = async () => {
    credits = await readCredits(context);
    return credits.held === 0 && credits.chargedMicroUsd >= load.costMicroUsd;
  };
  if (!(await becomesTrue(120, isSettled)) && credits.held > 0) {
    return { problem: `${credits.held} USD are still held after 120 s` };
  }
  await context.release.tollgate(["ledger", "verify"]);
  return compareBooks(credits.chargedMicroUsd, load);
}

/**
 * Compares the charges with the costs of all responses. A failed request may have been charged
 * although its response was lost, so each allows for the highest cost of a response of its kind.
 */
export function compareBooks(chargedMicroUsd: number, load: PodLoadResult): Finding {
  const { costMicroUsd, uncertainMicroUsd } = load;
  const failures = failuresOf(load);
  const allowance =
    failures === 0
      ? "no request failed"
      : `${failures} failed requests allow for ${uncertainMicroUsd} more`;
  const note = `${chargedMicroUsd} micro-USD charged, ${costMicroUsd} in responses; ${allowance}`;
  const difference = chargedMicroUsd - costMicroUsd;
  return difference >= 0 && difference <= uncertainMicroUsd ? { note } : { problem: note };
}

async function readCredits({
  loadPod,
  key,
}: Context): Promise<{ held: number; chargedMicroUsd: number }> {
  const authorization = `Bearer ${key}`;
  const text = await loadPod.get(`${serviceUrl}/v1/credits`, { authorization });
  const { balance, held } = JSON.parse(text) as Record<"balance" | "held", number>;
  return { held, chargedMicroUsd: Math.round((creditUsd - balance) * 1e6) };
}
