import { createHash, createHmac } from "node:crypto";
import type { Environment } from "@tollgate/core/config";

/** The credentials of an AWS account. `sessionToken` is that of temporary ones. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/** What is signed of a request. */
export interface SignedRequest {
  method: string;
  /** `https://HOST` or `http://HOST:PORT`. */
  origin: string;
  /** The path as it is sent, with its query. */
  path: string;
  /** Further headers that are signed, with names in lower case. */
  headers?: Readonly<Record<string, string>>;
  body: Uint8Array | readonly Uint8Array[];
}

/** Where and when a request is signed for. */
export interface SigningScope {
  region: string;
  service: string;
  now: Date;
}

/** Reads the credentials from the usual variables; undefined where one is missing. */
export function awsCredentials(env: Environment): AwsCredentials | undefined {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN || undefined,
  };
}

/**
 * Returns the headers that sign a request with Signature Version 4:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signAwsRequest(
  { method, origin, path, headers, body }: SignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service, now }: SigningScope,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const date = time.slice(0, 8);
  const token = sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken };
  const added = { "x-amz-date": time, ...token };
  const signed = Object.entries({ ...headers, host: new URL(origin).host, ...added }).sort(byName);
  const names = signed.map(([name]) => name).join(";");
  const [pathname = "", query = ""] = path.split("?");
  const canonical = [
    method,
    pathname.split("/").map(encode).join("/"),
    canonicalQuery(query),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    "",
    names,
    digest(body),
  ].join("\n");
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, digest(Buffer.from(canonical))].join("\n");
  const key = [date, region, service, "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(key, text).toString("hex");
  const credential = `Credential=${accessKeyId}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...added, authorization };
}

function byName([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1;
}

/** Encodes a segment of a path. The one that is sent is encoded already: this is the second time. */
function encode(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, percent);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function canonicalQuery(query: string): string {
  if (query === "") return "";
  return [...new URLSearchParams(query)]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
}

function digest(body: Uint8Array | readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const bytes of body instanceof Uint8Array ? [body] : body) hash.update(bytes);
  return hash.digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
