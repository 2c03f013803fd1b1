/** Examples of the formats of JSON Schema, OpenAPI and zod, by a number that makes them differ. */
const formats: Readonly<Record<string, (nth: number) => string>> = {
  "date-time": (nth) => `2025-01-${day(nth)}T12:00:00Z`,
  date: (nth) => `2025-01-${day(nth)}`,
  time: (nth) => `12:00:${two(nth % 60)}Z`,
  duration: (nth) => `PT${nth + 1}H`,
  email: (nth) => `user${suffix(nth)}@example.com`,
  "idn-email": (nth) => `user${suffix(nth)}@example.com`,
  hostname: (nth) => `host${suffix(nth)}.example.com`,
  "idn-hostname": (nth) => `host${suffix(nth)}.example.com`,
  ipv4: (nth) => `192.0.2.${(nth % 254) + 1}`,
  ipv6: (nth) => `2001:db8::${(nth + 1).toString(16)}`,
  cidrv4: (nth) => `192.0.${nth % 256}.0/24`,
  cidrv6: (nth) => `2001:db8:${nth.toString(16)}::/48`,
  uri: (nth) => `https://example.com/${suffix(nth)}`,
  url: (nth) => `https://example.com/${suffix(nth)}`,
  iri: (nth) => `https://example.com/${suffix(nth)}`,
  "uri-reference": (nth) => `/example${suffix(nth)}`,
  "iri-reference": (nth) => `/example${suffix(nth)}`,
  "uri-template": (nth) => `/example${suffix(nth)}/{id}`,
  uuid: (nth) => `123e4567-e89b-42d3-a456-${(426_614_174_000 + nth).toString().padStart(12, "0")}`,
  "json-pointer": (nth) => `/example${suffix(nth)}`,
  "relative-json-pointer": (nth) => `${nth}/example`,
  regex: (nth) => `^example${suffix(nth)}$`,
  byte: (nth) => Buffer.from(`example${suffix(nth)}`).toString("base64"),
  base64: (nth) => Buffer.from(`example${suffix(nth)}`).toString("base64"),
  base64url: (nth) => Buffer.from(`example${suffix(nth)}`).toString("base64url"),
  e164: (nth) => `+1555${(1_230_000 + nth).toString()}`,
  emoji: (nth) => "👋".repeat(nth + 1),
  jwt: () => "eyJhbGciOiJub25lIn0.eyJzdWIiOiJleGFtcGxlIn0.",
};

/** Returns the `nth` example of a format; undefined when the format is unknown. */
export function exampleOfFormat(format: string, nth: number): string | undefined {
  return Object.hasOwn(formats, format) ? formats[format]?.(nth) : undefined;
}

function suffix(nth: number): string {
  return nth === 0 ? "" : `${nth + 1}`;
}

function day(nth: number): string {
  return two((nth % 28) + 1);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
