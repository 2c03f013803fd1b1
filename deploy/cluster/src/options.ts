import { parseArgs } from "node:util";

interface Image {
  repository: string;
  tag: string;
}

export interface ClusterTestOptions {
  image: Image;
  simulator: Image;
  /** The name of a Secret for pulling the images. */
  pullSecret: string | undefined;
  postgres: string | undefined;
  nats: string | undefined;
  ingress: { className: string; url: string } | undefined;
  /** A class whose volumes persistent spools may use. */
  storageClass: string | undefined;
  /** Where the release's catalog is. */
  catalog: "file" | "database";
  /** How many upgrades, and how many replacements of the edge, run under load. */
  upgrades: number;
  replacements: number;
  /** The names of the steps to run after the installation. Empty: all of them. */
  only: readonly string[];
  keep: boolean;
}

const help = `npm run test:cluster -- --image REPOSITORY:TAG --simulator REPOSITORY:TAG

Installs the chart in a new namespace of the cluster that the current kubectl context names, tests it
under load, and deletes the namespace. Needs kubectl and Helm 3.18 or newer. The images must be ones
that the cluster can pull, or has loaded. The chart runs its own Postgres, so no migration Job runs:
the services migrate their schemas when they start.

  --image REF            the gateway's image (default tollgate:test)
  --simulator REF        the simulator's image (default tollgate-simulator:test)
  --build                builds both with docker first, and loads them into a kind or minikube cluster
  --pull-secret NAME     pulls both with this Secret of the context's namespace, which is copied
  --postgres REF         another image of Postgres 14 or newer
  --nats REF             another image of NATS 2.9 or newer
  --ingress-class NAME   also tests through an ingress of this class, at
  --ingress-url URL      this http: address, which this machine and the cluster's pods can reach
  --storage-class NAME   also tests persistent spools, with volumes of this class
  --catalog SOURCE       where the catalog is: file (default), or database, where the test publishes it
  --upgrades N           upgrades under load (default 2)
  --replacements N       replacements of the edge's pods under load (default 2)
  --only STEP,…          runs only these steps
  --keep                 keeps the namespace and the release, also when it is interrupted

Ctrl-C ends the test and deletes the namespace. A second one ends it at once.

Steps: `;

/** Returns what `--help` prints. */
export function helpOf(stepNames: readonly string[]): string {
  return `${help}${stepNames.join(", ")}\n`;
}

/** Parses the command line. Throws a TypeError for an unknown or incomplete option. */
export function parseOptions(
  args: readonly string[],
  stepNames: readonly string[],
): ClusterTestOptions & { build: boolean; help: boolean } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      image: { type: "string", default: "tollgate:test" },
      simulator: { type: "string", default: "tollgate-simulator:test" },
      build: { type: "boolean", default: false },
      "pull-secret": { type: "string" },
      postgres: { type: "string" },
      nats: { type: "string" },
      "ingress-class": { type: "string" },
      "ingress-url": { type: "string" },
      "storage-class": { type: "string" },
      catalog: { type: "string", default: "file" },
      upgrades: { type: "string", default: "2" },
      replacements: { type: "string", default: "2" },
      only: { type: "string", default: "" },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  return {
    image: imageOf("--image", values.image),
    simulator: imageOf("--simulator", values.simulator),
    build: values.build,
    pullSecret: values["pull-secret"],
    postgres: values.postgres,
    nats: values.nats,
    ingress: ingressOf(values["ingress-class"], values["ingress-url"]),
    storageClass: values["storage-class"],
    catalog: sourceOf(values.catalog),
    upgrades: countOf("--upgrades", values.upgrades),
    replacements: countOf("--replacements", values.replacements),
    only: stepsOf(values.only, stepNames),
    keep: values.keep,
    help: values.help,
  };
}

function imageOf(option: string, text: string): Image {
  const match = /^(.+):([^:/]+)$/.exec(text);
  if (match === null) throw new TypeError(`${option} must be REPOSITORY:TAG, not ${text}`);
  const [, repository = "", tag = ""] = match;
  return { repository, tag };
}

function ingressOf(className?: string, url?: string): ClusterTestOptions["ingress"] {
  if (className === undefined && url === undefined) return undefined;
  if (className === undefined || url === undefined) {
    throw new TypeError("--ingress-class NAME and --ingress-url URL belong together");
  }
  if (URL.parse(url)?.protocol !== "http:") {
    const reason = "the host of the test's ingress has no certificate";
    throw new TypeError(`--ingress-url must be an http: URL, not ${url}: ${reason}`);
  }
  return { className, url: url.replace(/\/+$/, "") };
}

function sourceOf(source: string): ClusterTestOptions["catalog"] {
  if (source === "file" || source === "database") return source;
  throw new TypeError(`--catalog must be file or database, not ${source}`);
}

function stepsOf(text: string, stepNames: readonly string[]): string[] {
  const names = text.split(",").filter((name) => name !== "");
  const unknown = names.filter((name) => !stepNames.includes(name));
  if (unknown.length === 0) return names;
  const all = stepNames.join(", ");
  throw new TypeError(`--only: there is no step ${unknown.join(", ")}, only ${all}`);
}

function countOf(option: string, text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0 && count <= 1_000) return count;
  throw new TypeError(`${option} must be a whole number from 1 to 1000, not ${text}`);
}
