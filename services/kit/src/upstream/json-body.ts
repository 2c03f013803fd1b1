/**
 * A JSON body for a provider: what the gateway decides, spliced in front of the client's own
 * members, which are neither parsed nor written again. `members` is a JSON object.
 */
export function spliceBody(decided: Record<string, unknown>, members: Uint8Array): string {
  const text = Buffer.from(members.buffer, members.byteOffset, members.byteLength);
  const rest = text.toString("utf8", 1);
  return `${JSON.stringify(decided).slice(0, -1)}${rest === "}" ? "" : ","}${rest}`;
}
