import { StartError } from "@tollgate/core/errors";
import type { ConnectionOptions } from "nats";

type NatsAddress = Pick<ConnectionOptions, "servers" | "user" | "pass" | "token" | "tls">;

/**
 * Returns the options of a connection to `nats://user:password@host:4222`, to a URL with a token
 * in place of both, or to several of them with commas between them, which must have the same
 * credentials. With `tls:`, the connection is encrypted. Throws a StartError for any other text,
 * and where it has no credentials: every client that reaches such a server can read all usage
 * events.
 */
export function natsAddress(text: string): NatsAddress {
  const urls = text.split(",").map((one) => parse(one.trim()));
  const [first] = urls as [URL, ...URL[]];
  const servers = urls.map(({ hostname, port }) => `${hostname}:${port || "4222"}`);
  const user = decodeURIComponent(first.username);
  const pass = decodeURIComponent(first.password);
  if (user === "") throw invalid("has no user and password: nats://user:password@host:4222");
  if (
    urls.some(
      ({ username, password }) => username !== first.username || password !== first.password,
    )
  ) {
    throw invalid("must have the same user and password for each server");
  }
  const credentials = pass === "" ? { token: user } : { user, pass };
  return { servers, ...credentials, ...(first.protocol === "tls:" ? { tls: {} } : {}) };
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^(nats|tls):$/.test(url.protocol) && url.hostname !== "") return url;
  throw invalid("is not an address: nats://user:password@host:4222");
}

function invalid(problem: string): StartError {
  return new StartError(`NATS_URL: ${problem}`);
}
