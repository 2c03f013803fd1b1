import { StartError } from "@tollgate/core/errors";
import { type Service, type ServiceName, serviceNames } from "@tollgate/runtime/service";

/** A process loads the code of the services that it runs: a service alone is a third of all of it. */
const load: { readonly [Name in ServiceName]: () => Promise<Service> } = {
  ledger: async () => (await import("@tollgate/ledger/service")).ledger,
  billing: async () => (await import("@tollgate/billing/service")).billing,
  chat: async () => (await import("@tollgate/chat/service")).chat,
  document: async () => (await import("@tollgate/document/service")).document,
  image: async () => (await import("@tollgate/image/service")).image,
  audio: async () => (await import("@tollgate/audio/service")).audio,
  console: async () => (await import("@tollgate/console/service")).consoleService,
  edge: async () => (await import("@tollgate/edge/service")).edge,
};

const targetNames = ["all", ...serviceNames, "migrate"];

/**
 * Loads the services of a `--target`, in the order of their start: a service starts after those that
 * it calls. Throws a StartError for an unknown target.
 */
export async function servicesOf(target: string): Promise<Service[]> {
  const names = target === "all" ? serviceNames : serviceNames.filter((name) => name === target);
  if (names.length > 0) return Promise.all(names.map((name) => load[name]()));
  throw new StartError(`--target ${target}: must be one of ${targetNames.join(", ")}`);
}
