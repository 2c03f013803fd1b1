const comma = Buffer.from(",");
const closing = "}".charCodeAt(0);

/**
 * A JSON body for a provider: what the gateway decides, in front of the client's own members, which
 * are neither parsed nor written again. `members` is a JSON object.
 */
export function spliceBody(decided: Record<string, unknown>, members: Uint8Array): Buffer {
  return Buffer.concat(splicePieces(decided, members, []));
}

/**
 * The same in pieces, of which none is copied, with `parts` between the two: the bytes of members
 * in pieces, such as `"messages":[…],`.
 */
export function splicePieces(
  decided: Record<string, unknown>,
  members: Uint8Array,
  parts: readonly Uint8Array[],
): Uint8Array[] {
  const head = Buffer.from(JSON.stringify(decided).slice(0, -1));
  const rest = members.subarray(1);
  const isLast = rest[0] === closing && parts.length === 0;
  return [head, ...(isLast ? [] : [comma]), ...parts, rest];
}
