import { appendFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

/**
 * Names the tests that were skipped, as a run ends. Appends the numbers of a run to the file that
 * `TOLLGATE_TEST_RESULTS` names, for `.ci/run`.
 */
export class RunReporter implements Reporter {
  readonly #resultsFile: string | undefined;

  constructor(resultsFile: string | undefined) {
    this.#resultsFile = resultsFile;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const skipped = modules.flatMap((module) =>
      skippedIn(module).map((line) => `  ${module.project.name}  ${line}\n`),
    );
    if (skipped.length > 0) process.stdout.write(`\nSkipped:\n${skipped.join("")}`);
    if (this.#resultsFile === undefined) return;
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      // A file that cannot be loaded has no tests.
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    }
    appendFileSync(this.#resultsFile, `${JSON.stringify(counts)}\n`);
  }
}

/** Returns a line for each test that was skipped, or for the outermost suite of such tests. */
function skippedIn(parent: TestModule | TestSuite): string[] {
  return [...parent.children].flatMap((child) => {
    if (child.type === "test") return isSkipped(child) ? [describeTest(child)] : [];
    const tests = [...child.children.allTests()];
    if (!tests.every(isSkipped)) return skippedIn(child);
    return tests.length === 0 ? [] : [`${child.fullName} (${tests.length} tests)`];
  });
}

function isSkipped(test: TestCase): boolean {
  return test.result().state === "skipped";
}

function describeTest(test: TestCase): string {
  const result = test.result();
  const note = result.state === "skipped" ? result.note : undefined;
  return note === undefined ? test.fullName : `${test.fullName}: ${note}`;
}
