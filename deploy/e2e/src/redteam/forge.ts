import { gzipSync } from "node:zlib";
import type { SeededRandom } from "../random.ts";

/** A request whose members, or headers, claim what would make it cheaper. */
export interface Forged {
  body: string;
  headers: Record<string, string>;
  names: string[];
}

/** Some are taken on some wires, and must not change what is charged. The rest is refused. */
const cheap = [
  '"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}',
  '"cost":0',
  '"service_tier":"flex"',
  '"service_tier":"priority"',
  '"speed":"fast"',
  '"stream_options":{"include_usage":false}',
  '"stream_options":{"include_usage":true,"continuous_usage_stats":false}',
  '"tools":[{"type":"web_search"}]',
  '"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]',
  '"betas":["free-2026-01-01"]',
  '"max_tokens":1',
  '"max_tokens":0',
  '"max_completion_tokens":4096',
  '"n":3',
  '"n":0',
  '"stream":true',
  '"stream":false',
  '"user":"somebody else"',
  '"model":"charge-chat-streams"',
  '"x-request-id":"req_0"',
];

const headers = [
  ["anthropic-beta", "free-2026-01-01"],
  ["x-request-id", `req_${"0".repeat(32)}`],
  ["x-client-request-id", `req_${"0".repeat(32)}`],
  ["x-tollgate-account", "operator"],
  ["openai-organization", "somebody-else"],
] as const;

/** Adds members in front of a JSON body's own or behind them, doubled or in another case, and headers. */
export function forge(random: SeededRandom, json: string): Forged {
  const forged: Forged = { body: json, headers: {}, names: [] };
  for (let left = random.percent(80) ? 1 : 3; left > 0; left -= 1) {
    const member = recase(random, random.pick(cheap));
    const rest = random.percent(50) ? `{${member},${forged.body.slice(1)}` : undefined;
    forged.body = rest ?? `${forged.body.slice(0, -1)},${member}}`;
    forged.names.push(member);
  }
  if (random.percent(30)) {
    const [name, value] = random.pick(headers);
    forged.headers[name] = value;
    forged.names.push(name);
  }
  return forged;
}

/** Compresses a body, with spaces that make it larger than it is sent. It is charged as it is read. */
export function compress(random: SeededRandom, { body, headers, names }: Forged) {
  const spaces = " ".repeat(random.integer(0, 100_000));
  const bytes = gzipSync(`{${spaces}${body.slice(1)}`);
  const named = [...names, `gzip of ${spaces.length} spaces`];
  return { bytes, headers: { ...headers, "content-encoding": "gzip" }, names: named };
}

/** Writes the member's name in another case now and then. */
function recase(random: SeededRandom, member: string): string {
  if (!random.percent(15)) return member;
  const end = member.indexOf('"', 1);
  const name = member.slice(1, end);
  const other = random.percent(50)
    ? name.toUpperCase()
    : `${name[0]?.toUpperCase()}${name.slice(1)}`;
  return `"${other}${member.slice(end)}`;
}
