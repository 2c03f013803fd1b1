// Prints the sums of the test runs whose numbers RunReporter has written to a file, one run in a line,
// and what failed. A test file that failed is run once more, alone, and the second result counts: such
// a file is named, since a test that fails under load is a bug, too. Exits with 1 if a test failed
// twice, or for a reason that a second run does not mend.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";

/** More files than this do not fail by chance. */
const maxFilesAgain = 6;

const [file = "", hasFailed] = process.argv.slice(2);
const runs = readRuns(file);
const sums = {
  passed: total(runs, "passed"),
  failed: total(runs, "failed"),
  skipped: total(runs, "skipped"),
};
const failures = runs.flatMap((run) => run.failures);
print(
  "Skipped:",
  runs.flatMap((run) => run.skippedTests),
);
print(
  "Failed:",
  failures.map(({ project, name }) => `${project}  ${name}`),
);

// A failure outside the tests, for example of the linter, is one, too.
if (hasFailed === "1" && sums.failed === 0) sums.failed = 1;
if (isWorthAnotherRun()) runAgain();
process.stdout.write(`${sums.passed} passed, ${sums.failed} failed, ${sums.skipped} skipped\n`);
process.exitCode = sums.failed === 0 ? 0 : 1;

function isWorthAnotherRun() {
  const files = new Set(failures.map(({ project, file }) => `${project} ${file}`));
  return sums.failed > 0 && failures.length === sums.failed && files.size <= maxFilesAgain;
}

/** Replaces the failures by the results of a second run, of the files that failed, alone. */
function runAgain() {
  const again = `${file}.again`;
  writeFileSync(again, "");
  const env = { ...process.env, TOLLGATE_TEST_RESULTS: again };
  const run = (...args) =>
    spawnSync("npm", ["run", "--silent", ...args], { env, stdio: "inherit" });
  if (run("check").status !== 0) return;
  let hasPassed = true;
  for (const project of new Set(failures.map((failure) => failure.project))) {
    const ofProject = failures.filter((failure) => failure.project === project);
    const files = new Set(ofProject.map((failure) => failure.file));
    if (run("suites", "--", "--project", project, ...files).status !== 0) hasPassed = false;
  }
  const second = readRuns(again);
  rmSync(again, { force: true });
  const failedTwice = second.flatMap((result) => result.failures);
  const passedOnce = failures.filter(
    ({ project, name }) =>
      !failedTwice.some((other) => other.project === project && other.name === name),
  );
  print(
    "Failed at first, and passed alone:",
    passedOnce.map(({ project, name }) => `${project}  ${name}`),
  );
  const stillFailed = total(second, "failed") || (hasPassed ? 0 : 1);
  sums.passed += Math.max(0, sums.failed - stillFailed);
  sums.failed = stillFailed;
}

function readRuns(path) {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function total(results, name) {
  return results.reduce((sum, run) => sum + run[name], 0);
}

function print(title, lines) {
  if (lines.length > 0)
    process.stdout.write(`\n${title}\n${lines.map((line) => `  ${line}\n`).join("")}`);
}
