import { describe } from "vitest";
import { browserPath } from "./browser.ts";

/** Describes tests that need a browser. Without one they are skipped, and their name says why. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (browserPath === undefined) describe.skip(`${name}: needs Chromium on the PATH`, tests);
  else describe(name, tests);
}
