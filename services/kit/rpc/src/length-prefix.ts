/** The wire type of strings, bytes and messages in protobuf's encoding. */
const lengthDelimited = 2;

/** Encodes what precedes the content of a string, bytes or message field: its tag and its length. */
export function lengthPrefix(fieldNumber: number, length: number): number[] {
  const bytes: number[] = [];
  pushVarint((fieldNumber << 3) | lengthDelimited, bytes);
  pushVarint(length, bytes);
  return bytes;
}

function pushVarint(value: number, bytes: number[]): void {
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
}
