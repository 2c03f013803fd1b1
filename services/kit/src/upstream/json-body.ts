const comma = Buffer.from(",");
const closing = "}".charCodeAt(0);

/**
 * A JSON body for a provider: what the gateway decides, in front of the client's own members, which
 * are neither parsed nor written again. `members` is a JSON object; `parts` are its first members'
 * bytes in pieces, such as `"messages":[…],`.
 */
export function spliceBody(
  decided: Record<string, unknown>,
  members: Uint8Array,
  parts: readonly Uint8Array[] = [],
): Buffer {
  const head = Buffer.from(JSON.stringify(decided).slice(0, -1));
  const rest = members.subarray(1);
  const isLast = rest[0] === closing && parts.length === 0;
  return Buffer.concat([head, ...(isLast ? [] : [comma]), ...parts, rest]);
}
