import { parseArgs } from "node:util";

export interface Options {
  image: { repository: string; tag: string };
  simulator: { repository: string; tag: string };
  postgres: string | undefined;
  nats: string | undefined;
  ingress: { className: string; url: string } | undefined;
  /** A class whose volumes persistent spools may use. */
  storageClass: string | undefined;
  /** How many upgrades, and how many replacements of the edge, run under load. */
  upgrades: number;
  replacements: number;
  /** The names of the steps to run after the installation. Empty: all of them. */
  only: readonly string[];
  keep: boolean;
}

export const help = `npm run test:cluster -- --image REPOSITORY:TAG --simulator REPOSITORY:TAG

Installs the chart in a new namespace of the cluster that the current kubectl context names, tests it
under load, and deletes the namespace. Needs kubectl and Helm 3.18 or newer. The images must be ones
that the cluster can pull, or has loaded.

  --image REF            the gateway's image (default tollgate:test)
  --simulator REF        the simulator's image (default tollgate-simulator:test)
  --build                builds both with docker first, and loads them into a kind or minikube cluster
  --postgres REF         another image of Postgres 15 or newer
  --nats REF             another image of NATS 2.9 or newer
  --ingress-class NAME   also tests through an ingress of this class, at
  --ingress-url URL      this address, which this machine and the cluster's pods can reach
  --storage-class NAME   also tests persistent spools, with volumes of this class
  --upgrades N           upgrades under load (default 2)
  --replacements N       replacements of the edge's pods under load (default 2)
  --only STEP,…          runs only these steps
  --keep                 keeps the namespace and the release
`;

/** Parses the command line. Throws a TypeError for an unknown or incomplete option. */
export function parseOptions(args: readonly string[]): Options & { build: boolean; help: boolean } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      image: { type: "string", default: "tollgate:test" },
      simulator: { type: "string", default: "tollgate-simulator:test" },
      build: { type: "boolean", default: false },
      postgres: { type: "string" },
      nats: { type: "string" },
      "ingress-class": { type: "string" },
      "ingress-url": { type: "string" },
      "storage-class": { type: "string" },
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
    postgres: values.postgres,
    nats: values.nats,
    ingress: ingressOf(values["ingress-class"], values["ingress-url"]),
    storageClass: values["storage-class"],
    upgrades: countOf("--upgrades", values.upgrades),
    replacements: countOf("--replacements", values.replacements),
    only: values.only.split(",").filter((name) => name !== ""),
    keep: values.keep,
    help: values.help,
  };
}

function imageOf(option: string, text: string): Options["image"] {
  const match = /^(.+):([^:/]+)$/.exec(text);
  if (match === null) throw new TypeError(`${option} must be REPOSITORY:TAG, not ${text}`);
  const [, repository = "", tag = ""] = match;
  return { repository, tag };
}

function ingressOf(className?: string, url?: string): Options["ingress"] {
  if (className === undefined && url === undefined) return undefined;
  if (className !== undefined && url !== undefined && URL.canParse(url)) {
    return { className, url: url.replace(/\/$/, "") };
  }
  throw new TypeError("--ingress-class NAME and --ingress-url URL belong together");
}

function countOf(option: string, text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0 && count <= 1_000) return count;
  throw new TypeError(`${option} must be a whole number from 1 to 1000, not ${text}`);
}
