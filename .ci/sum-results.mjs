// Prints the sums of the test runs whose numbers RunReporter has written to a file, one run in a line.
import { readFileSync } from "node:fs";

const [file = "", hasFailed] = process.argv.slice(2);
const runs = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line));
const sum = (name) => runs.reduce((total, run) => total + run[name], 0);
// A failure outside the tests, for example of the linter, is one, too.
const failed = sum("failed") || (hasFailed === "1" ? 1 : 0);
process.stdout.write(`${sum("passed")} passed, ${failed} failed, ${sum("skipped")} skipped\n`);
