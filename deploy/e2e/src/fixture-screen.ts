import type { Browser, Page } from "playwright-core";
import { collectProblems } from "./page-checks.ts";

/** A screen of the console's page with its backend in memory; see `console-page.ts`. */
export interface FixtureScreen {
  path: string;
  /** The heading that says that it is shown. */
  heading: string;
  role?: string;
  state?: string;
  /** The first link with each of these selectors is followed before the screen is looked at. */
  follow?: string | readonly string[];
}

export interface ScreenLook {
  width?: number;
  theme?: "light" | "dark";
  timezoneId?: string;
}

export interface ShownScreen extends AsyncDisposable {
  page: Page;
  /** Errors of the page, and what its policy forbids. */
  problems: readonly string[];
}

/** The data of the fixture is that of the days before. */
const now = new Date("2026-11-20T15:24:00Z");

/** Opens a screen in a context of its own, and resolves once it is loaded. */
export async function openScreen(
  browser: Browser,
  url: string,
  screen: FixtureScreen,
  { width = 1_280, theme = "light", timezoneId = "UTC" }: ScreenLook = {},
): Promise<ShownScreen> {
  const context = await browser.newContext({
    viewport: { width, height: 860 },
    colorScheme: theme,
    timezoneId,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await context.clock.setFixedTime(now);
  const page = await context.newPage();
  const problems = collectProblems(page);
  await page.addInitScript(
    ([role, state]) => {
      localStorage.setItem("fixture-role", role ?? "owner");
      localStorage.setItem("fixture-state", state ?? "");
    },
    [screen.role, screen.state] as const,
  );
  await page.goto(url + screen.path);
  for (const selector of [screen.follow ?? []].flat()) {
    await page.locator(selector).first().click();
  }
  await page.getByRole("heading", { level: 1, name: screen.heading }).waitFor();
  await page.locator(".bone").first().waitFor({ state: "detached" });
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}
