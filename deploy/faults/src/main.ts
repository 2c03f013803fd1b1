import { parseArgs } from "node:util";
import { type FaultRun, runFaults } from "./run-faults.ts";

/**
 * `npm run test:faults`: injects faults into a fleet under load and checks its ledger against what
 * clients observed and providers served. `--seed` repeats the requests and the faults of a run.
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    requests: { type: "string", default: "10000" },
    faults: { type: "string", default: "200" },
    clients: { type: "string", default: "24" },
    replicas: { type: "string", default: "2" },
  },
});
const plan = {
  seed: Number(values.seed),
  requests: Number(values.requests),
  faults: Number(values.faults),
  clients: Number(values.clients),
  replicas: Number(values.replicas),
};
const shownViolations = 50;

const flags = Object.entries(plan).map(([name, value]) => `--${name} ${value}`);
process.stdout.write(`to repeat this run: npm run test:faults -- ${flags.join(" ")}\n`);
const run = await runFaults(plan);
process.stdout.write(reportOf(run));
process.exitCode = run.violations.length === 0 ? 0 : 1;

function reportOf({ observations, injected, failedInjections, violations, ...rest }: FaultRun) {
  const workloads = new Map<string, Map<string, number>>();
  for (const { workload, outcome } of observations) {
    const outcomes = workloads.get(workload) ?? new Map<string, number>();
    workloads.set(workload, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
  }
  const count = [...injected.values()].reduce((sum, one) => sum + one, 0);
  return [
    `${observations.length} requests, ${count} faults (${failedInjections} more could not be ` +
      `injected), ${rest.seconds.toFixed(0)} s`,
    ...[...injected].map(([name, times]) => `  ${name}: ${times}`),
    ...[...workloads].map(([workload, outcomes]) => `  ${workload}: ${list(outcomes)}`),
    `charged ${rest.chargedNanoUsd} nano-USD; ${rest.chargedWithoutResponse} charged requests ` +
      "whose response was lost",
    violations.length === 0
      ? "no event was lost, no request was charged twice"
      : `${violations.length} violations:`,
    ...violations.slice(0, shownViolations).map((line) => `  ${line}`),
    "",
  ].join("\n");
}

function list(outcomes: ReadonlyMap<string, number>): string {
  return [...outcomes].map(([outcome, times]) => `${times} ${outcome}`).join(", ");
}
