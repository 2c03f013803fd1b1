import { lookup } from "node:dns/promises";

/**
 * Returns the gRPC targets of an address, one for each replica: every IP address of a host name
 * (`host:port` or `dns:///host:port`), the targets of each part of a list with commas, or any other
 * target, such as `unix:path`, unchanged. Returns none for a name that cannot be resolved.
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
