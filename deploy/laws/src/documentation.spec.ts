import { access, readFile } from "node:fs/promises";
import { posix } from "node:path";
import { expect, it } from "vitest";
import { readChartFile } from "./chart/chart.ts";
import { anchorsIn, codeInTables, linksIn, pathsIn, readPage, readPages } from "./markdown.ts";

const root = new URL("../../../", import.meta.url);
const isExternal = (link: string) => /^[a-z]+:/.test(link);

it("every relative link of the documentation leads to a file, and to a heading of it", async () => {
  const pages = new Map((await readPages()).map((page) => [page.path, page]));
  expect([...pages.keys()]).toContain("README.md");
  for (const page of pages.values()) {
    for (const link of linksIn(page).filter((one) => !isExternal(one))) {
      const [file = "", anchor] = link.split("#");
      const path = file === "" ? page.path : posix.join(posix.dirname(page.path), file);
      await expect(access(new URL(path, root)), `${page.path}: ${link}`).resolves.toBeUndefined();
      if (anchor === undefined) continue;
      const target = pages.get(path);
      expect(target && anchorsIn(target), `${page.path}: ${link}`).toContain(anchor);
    }
  }
});

/** Files that operators write. */
const ofOperators = ["deploy/providers.env", "deploy/customers.env"];

it("every file and folder that the documentation names exists", async () => {
  for (const page of await readPages()) {
    for (const path of pathsIn(page).filter((one) => !ofOperators.includes(one))) {
      await expect(access(new URL(path, root)), `${page.path}: ${path}`).resolves.toBeUndefined();
    }
  }
});

it("every table that the documentation names exists", async () => {
  // Partitions are in no schema.
  const partitions = ["ledger.entry_default"];
  const owners = ["billing", "chat", "document", "edge", "ledger"];
  const tables = await Promise.all(
    owners.map(async (owner) => {
      const schema = new URL(`services/${owner}/prisma/schema.prisma`, root);
      const names = (await readFile(schema, "utf8")).matchAll(/@@map\("(\w+)"\)/g);
      return [...names].map(([, name]) => `${owner}.${name}`);
    }),
  );
  const named = (await readPages()).flatMap(({ path, text }) => {
    const names = text.matchAll(/`((?:billing|chat|document|edge|ledger)\.[a-z_]+)`/g);
    return [...names].map(([, name]) => [path, name] as const);
  });
  expect(named.length).toBeGreaterThan(20);
  expect(
    named.filter(([, name]) => ![...partitions, ...tables.flat()].includes(name ?? "")),
  ).toEqual([]);
});

it("every page in docs is linked from the README", async () => {
  const links = linksIn(await readPage("README.md"));
  const pages = (await readPages()).filter(({ path }) => path.startsWith("docs/"));
  for (const { path } of pages) expect(links).toContain(path);
});

it("every metric that the chart relies on is explained", async () => {
  const metrics = await readChartFile<Record<string, unknown>>("files/metrics.yaml");
  const explained = codeInTables(await readPage("docs/operations.md"));
  for (const name of Object.keys(metrics)) expect(explained).toContain(name);
});

it("every alert has a section that says what to do, and no section is left of an old one", async () => {
  const alerts = await readChartFile<{ alert: string }[]>("files/alerts.yaml");
  const names = alerts.map(({ alert }) => alert.toLowerCase());
  const sections = anchorsIn(await readPage("docs/operations.md"));
  expect(sections.filter((name) => name.startsWith("tollgate")).sort()).toEqual(names.sort());
});
