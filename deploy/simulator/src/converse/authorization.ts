import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ProviderError } from "../error-response.ts";
import type { IssuedCredentials } from "../identity/issued-credentials.ts";

/** The credentials of AWS's documentation, which the simulator takes beside those that it has given. */
export const exampleCredentials = {
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

const form =
  /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([a-z0-9-]+)\/bedrock\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;

/** Requests are valid for five minutes. */
const maxAgeMs = 300_000;

/**
 * Returns the error of a request that has neither a key nor a valid Signature Version 4. `body` is the
 * text that was signed: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html
 */
export function authorizationProblem(
  { headers, method = "", url = "" }: IncomingMessage,
  body: string,
  identities: IssuedCredentials,
): ProviderError | undefined {
  const { authorization = "", "x-amz-date": time } = headers;
  if (/^Bearer \S/.test(authorization)) return undefined;
  const [, keyId, date = "", region = "", names = "", signature] = form.exec(authorization) ?? [];
  if (signature === undefined) return refusal("Missing Authentication Token");
  if (typeof time !== "string" || !time.startsWith(date)) {
    return refusal(
      "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date",
    );
  }
  if (Math.abs(timeOf(time) - Date.now()) > maxAgeMs) return refusal("Signature expired");
  const secret = secretOf(keyId ?? "", headers["x-amz-security-token"], identities);
  if (secret === undefined) {
    const what = identities.knows(keyId ?? "") ? "expired" : "invalid";
    return refusal(`The security token included in the request is ${what}.`);
  }
  const required = Object.keys(headers).filter((name) => /^(host|x-amz-.*)$/.test(name));
  if (!required.every((name) => names.split(";").includes(name))) {
    return refusal("Host must be a 'SignedHeader' in the AWS Authorization");
  }
  const [path = "", query = ""] = url.split("?");
  const canonical = [
    method,
    path.split("/").map(encodeURIComponent).join("/"),
    query,
    ...names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`),
  ];
  const text = `${canonical.slice(0, 3).join("\n")}\n${canonical.slice(3).join("")}\n${names}\n${sha256(body)}`;
  const scope = `${date}/${region}/bedrock/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(text)}`;
  if (signatureOf(toSign, scope, secret) === signature) return undefined;
  return refusal(
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.",
  );
}

function refusal(message: string): ProviderError {
  return { status: 403, message };
}

function timeOf(time: string): number {
  return Date.parse(time.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3:$4:$5Z"));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns the secret of an access key that is valid now, and has been sent with its session token. */
function secretOf(
  keyId: string,
  sessionToken: unknown,
  identities: IssuedCredentials,
): string | undefined {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = exampleCredentials;
  if (keyId === AWS_ACCESS_KEY_ID) return AWS_SECRET_ACCESS_KEY;
  const key = identities.keyOf(keyId);
  return key?.sessionToken === sessionToken ? key?.secretAccessKey : undefined;
}

function signatureOf(text: string, scope: string, secret: string): string {
  let key: string | Buffer = `AWS4${secret}`;
  for (const part of scope.split("/")) key = createHmac("sha256", key).update(part).digest();
  return createHmac("sha256", key).update(text).digest("hex");
}
