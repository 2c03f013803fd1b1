import { StartError } from "@tollgate/core/errors";

/** The values of `target_session_attrs` that ask for a server which takes writes. */
const writing: readonly string[] = ["read-write", "primary"];

/**
 * The servers that `DATABASE_URL` names, with commas between them. One of them is in use; when it cannot
 * be connected to, or takes no writes, the next one is.
 */
export class DatabaseServers {
  readonly #urls: readonly string[];
  #inUse = 0;
  /**
   * Whether a server must take writes: where the URL asks for it by `target_session_attrs`, and where it
   * names several servers.
   */
  readonly mustTakeWrites: boolean;

  /** Throws a StartError for a value of `target_session_attrs` that it does not know. */
  constructor(url: string) {
    this.#urls = splitServers(url);
    const [, query = ""] = url.split("?");
    const wanted = new URLSearchParams(query).get("target_session_attrs") ?? "any";
    if (wanted !== "any" && !writing.includes(wanted)) {
      throw new StartError("DATABASE_URL: target_session_attrs must be any, read-write or primary");
    }
    this.mustTakeWrites = writing.includes(wanted) || this.#urls.length > 1;
  }

  /** Returns the URL of the server in use. */
  url(): string {
    return this.#urls[this.#inUse] ?? "";
  }

  /** Uses the server after that of `url`, unless another one is in use already. */
  leave(url: string): void {
    if (this.url() === url) this.#inUse = (this.#inUse + 1) % this.#urls.length;
  }
}

/** Returns a URL for each server of a URL whose servers have commas between them. */
function splitServers(url: string): string[] {
  const found = /^(?<scheme>[a-z]+:\/\/)(?<authority>[^/?#]*)(?<rest>.*)$/s.exec(url)?.groups;
  if (found === undefined) return [url];
  const { scheme = "", authority = "", rest = "" } = found;
  const hostsAt = authority.lastIndexOf("@") + 1;
  const user = authority.slice(0, hostsAt);
  return authority
    .slice(hostsAt)
    .split(",")
    .map((host) => `${scheme}${user}${host}${rest}`);
}
