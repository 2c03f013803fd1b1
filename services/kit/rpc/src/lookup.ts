import { lookup } from "node:dns/promises";

/**
 * The replicas behind an address, each as gRPC writes it: all addresses of a name (`host:port` or
 * `dns:///host:port`), several with commas between them, or what else gRPC knows, such as a
 * `unix:path`, as it is. None where a name is not known.
 */
export async function lookUpTargets(address: string): Promise<string[]> {
  const found = await Promise.all(address.split(",").map(targetsOf));
  return found.flat();
}

async function targetsOf(target: string): Promise<string[]> {
  const match = /^(?:dns:\/\/\/)?(?<host>[^:/]+|\[[^\]]+\]):(?<port>\d+)$/.exec(target);
  if (match?.groups === undefined) return [target];
  const { host = "", port } = match.groups;
  try {
    const found = await lookup(host.replace(/^\[|\]$/g, ""), { all: true });
    return found.map(({ address, family }) =>
      family === 6 ? `ipv6:[${address}]:${port}` : `ipv4:${address}:${port}`,
    );
  } catch {
    return [];
  }
}
