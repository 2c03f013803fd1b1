import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { vendors } from "@tollgate/providers";
import { expect, test } from "vitest";
import { readWorkspaces } from "./workspaces.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folders = "services/kit/providers/src/";
const names = Object.keys(vendors);
const aName = new RegExp(`(["'\`])(?:${names.join("|")})\\1`);

/**
 * The providers of another data set and of other gateways, the catalog of the console's fixture, the
 * vendors that its editor offers, and the packages of clients.
 */
const otherNames = [
  "services/kit/list-prices/",
  "services/console/web/src/fixture/",
  "services/console/web/src/screens/editor/draft/vendors.ts",
  "services/console/web/src/screens/quick-start/examples.ts",
  "services/cli/src/imports/litellm-vendors.ts",
  "services/cli/src/imports/new-api-channels.ts",
];

const workspaces = await readWorkspaces();
const shipped = workspaces
  .filter(({ folder }) => folder.startsWith("services/"))
  .flatMap(({ files }) => files.filter(({ isTest }) => !isTest));

/** Returns the name of the vendor in whose folder a file is. */
function vendorOf(path: string): string | undefined {
  return path.startsWith(folders) ? path.slice(folders.length).split("/")[0] : undefined;
}

test("the name of a kind stands in the folder of its vendor only, so that nothing compares it", async () => {
  const found: string[] = [];
  for (const { path } of shipped) {
    if (names.includes(vendorOf(path) ?? "")) continue;
    if (otherNames.some((folder) => path.startsWith(folder))) continue;
    const lines = (await readFile(`${root}/${path}`, "utf8")).split("\n");
    for (const [index, line] of lines.entries()) {
      const isComment = /^\s*(\/\/|\/?\*)/.test(line);
      if (!isComment && aName.test(line)) found.push(`${path}:${index + 1}: ${line.trim()}`);
    }
  }
  expect(found).toEqual([]);
});

test("a folder with the record of a vendor is in the table under its name", () => {
  const records = shipped.filter(({ path }) =>
    new RegExp(`^${folders}\\w+/vendor\\.ts$`).test(path),
  );
  expect(records.map(({ path }) => vendorOf(path)).sort()).toEqual([...names].sort());
  for (const [name, vendor] of Object.entries(vendors)) expect(vendor.name).toBe(name);
});

test.each(Object.entries(vendors))("the record of %s has a value in every column", (_, vendor) => {
  expect(Object.keys(vendor).sort()).toEqual(Object.keys(vendors.openai).sort());
  expect(vendor.chat !== undefined).toBe("chat" in vendor.paths);
  if (vendor.chat === undefined) return;
  expect(Object.keys(vendor.chat).sort()).toEqual(Object.keys(vendors.openai.chat ?? {}).sort());
  expect(vendor.chatParameters.size).toBeGreaterThan(0);
});
