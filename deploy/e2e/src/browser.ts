import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** The browser of this machine; undefined if it has none. */
export const browserPath = (process.env.PATH ?? "")
  .split(delimiter)
  .flatMap((folder) =>
    ["chromium", "google-chrome", "chromium-browser"].map((name) => join(folder, name)),
  )
  .find((path) => existsSync(path));

/** Starts the browser of this machine. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(browserPath === undefined ? {} : { executablePath: browserPath }),
    args: ["--no-sandbox"],
  });
}
