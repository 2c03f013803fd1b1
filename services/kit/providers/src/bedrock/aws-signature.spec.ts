import { expect, test } from "vitest";
import { awsCredentials, signAwsRequest } from "./aws-signature.ts";

/** The credentials and the time of AWS's test suite of Signature Version 4. */
const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const scope = { region: "us-east-1", service: "service", now: new Date("2015-08-30T12:36:00Z") };
const vanilla = { origin: "https://example.amazonaws.com", path: "/", body: Buffer.alloc(0) };

test.each([
  [
    "get-vanilla",
    { method: "GET" },
    "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  ],
  [
    "post-vanilla",
    { method: "POST" },
    "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  ],
  [
    "get-vanilla-query-order-key-case",
    { method: "GET", path: "/?Param2=value2&Param1=value1" },
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
])("AWS's own test case %s has its signature", (_, request, signature) => {
  const { authorization } = signAwsRequest({ ...vanilla, ...request }, credentials, scope);
  expect(authorization).toBe(
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, " +
      `SignedHeaders=host;x-amz-date, Signature=${signature}`,
  );
});

test("the token of a session is sent and signed", () => {
  const headers = signAwsRequest(
    { ...vanilla, method: "POST", headers: { "content-type": "application/json" } },
    { ...credentials, sessionToken: "token" },
    scope,
  );
  expect(headers).toMatchObject({
    "x-amz-date": "20150830T123600Z",
    "x-amz-security-token": "token",
    authorization: expect.stringContaining(
      "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,",
    ),
  });
});

test("a body in several buffers has the signature of the same body in one", () => {
  const sign = (body: Uint8Array | Uint8Array[]) =>
    signAwsRequest({ ...vanilla, method: "POST", body }, credentials, scope);
  expect(sign([Buffer.from("ab"), Buffer.from("c")])).toEqual(sign(Buffer.from("abc")));
  expect(sign(Buffer.from("abd"))).not.toEqual(sign(Buffer.from("abc")));
});

test("credentials need both keys", () => {
  const both = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  expect(awsCredentials(both)).toMatchObject({ accessKeyId: "a", secretAccessKey: "b" });
  expect(awsCredentials({ ...both, AWS_SESSION_TOKEN: "c" })).toMatchObject({ sessionToken: "c" });
  expect(awsCredentials({ ...both, AWS_SECRET_ACCESS_KEY: "" })).toBeUndefined();
});
