import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The folder of the screenshots that tests make, for looking at. */
export const screenshots = fileURLToPath(new URL("../../../.data/screenshots/", import.meta.url));

/**
 * Collects what goes wrong in a page from now on while it shows a screen of `origin`, or any screen:
 * errors of its scripts, and what they write to the console as an error, among it what the content
 * security policy forbids.
 */
export function collectProblems(page: Page, origin = ""): readonly string[] {
  const problems: string[] = [];
  const add = (text: string) => {
    if (page.url().startsWith(origin)) problems.push(text);
  };
  page.on("pageerror", (error) => add(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") add(message.text());
  });
  return problems;
}

/** Resolves with the number of pixels by which a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>(
    "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)",
  );
}

/** Resolves with the serious violations of the WCAG that axe finds. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axe, "utf8"));
  return page.evaluate(async () => {
    interface Violation {
      id: string;
      impact: string;
      nodes: { target: string[]; failureSummary: string }[];
    }
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: Violation[] }> };
    };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary}`),
      );
  });
}
