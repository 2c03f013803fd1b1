import { appendFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

/** A test that failed, or a file that could not be loaded or prepared. */
interface Failure {
  project: string;
  /** From the root of the repository. */
  file: string;
  name: string;
}

/**
 * Names the tests that were skipped, as a run ends. Appends the numbers of a run, and what failed, to
 * the file that `TOLLGATE_TEST_RESULTS` names, for `.ci/run`.
 */
export class RunReporter implements Reporter {
  readonly #resultsFile: string | undefined;

  constructor(resultsFile: string | undefined) {
    this.#resultsFile = resultsFile;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const skippedTests = modules.flatMap((module) =>
      skippedIn(module).map((line) => `${module.project.name}  ${line}`),
    );
    if (this.#resultsFile === undefined) {
      const lines = skippedTests.map((line) => `  ${line}\n`);
      if (lines.length > 0) process.stdout.write(`\nSkipped:\n${lines.join("")}`);
      return;
    }
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    }
    const failures = modules.flatMap(failuresIn);
    const failed = errors.length + failures.length;
    const results = { ...counts, failed, failures, skippedTests };
    appendFileSync(this.#resultsFile, `${JSON.stringify(results)}\n`);
  }
}

function failuresIn(module: TestModule): Failure[] {
  const place = { project: module.project.name, file: module.relativeModuleId };
  const tests = [...module.children.allTests("failed")];
  const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  const names = [...tests, ...suites].map(({ fullName }) => `${place.file}  ${fullName}`);
  // A file that cannot be loaded or prepared has no result of its own for its tests.
  if (module.errors().length > 0) names.push(place.file);
  return names.map((name) => ({ ...place, name }));
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
