const comma = Buffer.from(",");
const closing = "}".charCodeAt(0);

/**
 * Returns a JSON body for a provider: the members that the gateway sets, followed by the client's
 * own members, which are neither parsed nor written again. `clientMembers` is a JSON object.
 */
export function spliceBody(ownMembers: Record<string, unknown>, clientMembers: Uint8Array): Buffer {
  return Buffer.concat(spliceParts(ownMembers, clientMembers, []));
}

/**
 * Returns the same body as a list of buffers, without a copy. `parts` are further members as bytes,
 * such as `"messages":[…],`. They are placed before the client's own members.
 */
export function spliceParts(
  ownMembers: Record<string, unknown>,
  clientMembers: Uint8Array,
  parts: readonly Uint8Array[],
): Uint8Array[] {
  const head = Buffer.from(JSON.stringify(ownMembers).slice(0, -1));
  const rest = clientMembers.subarray(1);
  const isLast = rest[0] === closing && parts.length === 0;
  return [head, ...(isLast ? [] : [comma]), ...parts, rest];
}
