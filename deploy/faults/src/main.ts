import { parseArgs } from "node:util";
import { holdTrial, type Trial } from "./trial.ts";

/**
 * `npm run test:faults`: a fleet under load and under fire, held against what its clients were told
 * and what its provider did. `--seed` replays a run: the same requests, the same faults.
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

const flags = Object.entries(plan).map(([name, value]) => `--${name} ${value}`);
const replay = `npm run test:faults -- ${flags.join(" ")}`;
process.stdout.write(`seed ${plan.seed}; to replay it: ${replay}\n`);
const trial = await holdTrial(plan);
process.stdout.write(reportOf(trial));
process.exitCode = trial.violations.length === 0 ? 0 : 1;

function reportOf({ told, inflicted, missed, violations, ...rest }: Trial): string {
  const families = new Map<string, Map<string, number>>();
  for (const { family, ended } of told) {
    const ends = families.get(family) ?? new Map<string, number>();
    families.set(family, ends.set(ended, (ends.get(ended) ?? 0) + 1));
  }
  const count = [...inflicted.values()].reduce((sum, one) => sum + one, 0);
  return [
    `${told.length} requests, ${count} faults (${missed} more could not be inflicted), ` +
      `${rest.seconds.toFixed(0)} s`,
    ...[...inflicted].map(([name, times]) => `  ${name}: ${times}`),
    ...[...families].map(([family, ends]) => `  ${family}: ${list(ends)}`),
    `charged ${rest.chargedNanoUsd} nano-USD; ${rest.chargedUnanswered} charged to clients that ` +
      "got no whole answer",
    violations.length === 0 ? "nothing lost, nothing charged twice" : `${violations.length} WRONG:`,
    ...violations.slice(0, 50).map((line) => `  ${line}`),
    "",
  ].join("\n");
}

function list(ends: ReadonlyMap<string, number>): string {
  return [...ends].map(([end, times]) => `${times} ${end}`).join(", ");
}
