import type { Page } from "playwright-core";

export interface Screen {
  name: string;
  path: string;
  /** The text of its first heading, or the beginning of it. */
  heading: string;
}

export interface ScreenTimes {
  name: string;
  /** From opening the address until the data shows, milliseconds. */
  opened: number[];
  /** The same from following a link within the page. */
  linked: number[];
}

/** Returns the screens of a console, one account, key and request among them. */
export async function screenPaths(
  page: Page,
  consoleUrl: string,
  accountId: string,
): Promise<Screen[]> {
  const firstLink = async (path: string) => {
    await page.goto(consoleUrl + path);
    const link = page.locator("main .row-link").first();
    await link.waitFor();
    return (await link.getAttribute("href")) ?? "";
  };
  const screens: Screen[] = [
    { name: "Overview, a day", path: "/?period=24h", heading: "Overview" },
    { name: "Overview, 30 days", path: "/?period=30d", heading: "Overview" },
    { name: "Accounts", path: "/accounts", heading: "Accounts" },
    { name: "One account", path: `/accounts/${accountId}`, heading: "bench-" },
    { name: "Keys", path: "/keys", heading: "Keys" },
    { name: "Activity, 30 days", path: "/activity?period=30d", heading: "Activity" },
    { name: "Activity, by key", path: "/activity?period=30d&by=key", heading: "Activity" },
    { name: "Requests", path: "/requests", heading: "Requests" },
    { name: "Requests, failed", path: "/requests?failed=1", heading: "Requests" },
    { name: "One request", path: await firstLink("/requests"), heading: "req_" },
    { name: "Models", path: "/models", heading: "Models" },
    { name: "Settings", path: "/settings", heading: "Settings" },
  ];
  return screens;
}

/** Opens each screen several times. What the page had read before is read again each time. */
export async function timeScreens(
  page: Page,
  consoleUrl: string,
  screens: readonly Screen[],
  { rounds }: { rounds: string },
): Promise<ScreenTimes[]> {
  const results: ScreenTimes[] = [];
  for (const { name, path, heading } of screens) {
    const opened: number[] = [];
    const linked: number[] = [];
    for (let round = 0; round < Number(rounds); round += 1) {
      opened.push(await timed(page, heading, () => page.goto(consoleUrl + path)));
      // A screen that needs little, from which the page has nothing to show of the next.
      await page.goto(`${consoleUrl}/settings?tab=sign-in`);
      await shows(page, "Settings");
      linked.push(await timed(page, heading, () => follow(page, path)));
    }
    results.push({ name, opened, linked });
  }
  return results;
}

async function timed(page: Page, heading: string, act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  await shows(page, heading);
  return performance.now() - startedAt;
}

/** Waits until a heading shows and nothing is being loaded. */
async function shows(page: Page, heading: string): Promise<void> {
  await page.waitForFunction(
    `document.querySelector("h1")?.textContent.startsWith(${JSON.stringify(heading)}) &&
     document.querySelector(".bone") === null`,
    undefined,
    { polling: "raf" },
  );
}

/** Follows a link to a path as the page's own links do. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`
    history.pushState({}, "", ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  `);
}
