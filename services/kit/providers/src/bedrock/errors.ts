import { memberOf } from "../refusal-message.ts";
import { createRefusalReader } from "../refusal-words.ts";

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html. AWS has the name of an error
 * in a header, followed by a URL, or in the body, after the name of a namespace.
 */
export const bedrockRefusals = createRefusalReader({
  messagesIn: (body) => [memberOf(body, "message"), memberOf(body, "Message")],
  codesIn: ({ headers, body }) =>
    [headers["x-amzn-errortype"], memberOf(body, "__type")].map(
      (name) => String(name).split(":")[0]?.split("#").at(-1) ?? "",
    ),
  codes: {
    ExpiredToken: "key_or_bill",
    ExpiredTokenException: "key_or_bill",
    IncompleteSignature: "key_or_bill",
    IncompleteSignatureException: "key_or_bill",
    InvalidClientTokenId: "key_or_bill",
    InvalidSignatureException: "key_or_bill",
    MissingAuthenticationToken: "key_or_bill",
    MissingAuthenticationTokenException: "key_or_bill",
    OptInRequired: "key_or_bill",
    RequestExpired: "key_or_bill",
    SignatureDoesNotMatch: "key_or_bill",
    UnrecognizedClientException: "key_or_bill",
    // A single request can exceed a quota, and one customer could repeat it.
    ServiceQuotaExceededException: "too_large",
    ThrottlingException: "rate",
  },
  phrases: [
    [/^The security token included in the request is (expired|invalid)/, "key_or_bill"],
    [/^(Bearer Token has expired|Authentication failed|Invalid API Key)/, "key_or_bill"],
    [/^Model access is denied due to INVALID_PAYMENT_INSTRUMENT/, "key_or_bill"],
  ],
});

/**
 * The HTTP statuses of exceptions in a stream:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html#API_runtime_ConverseStream_Errors
 */
const statuses: ReadonlyMap<string, number> = new Map([
  ["AccessDeniedException", 403],
  ["InternalServerException", 500],
  ["ModelErrorException", 424],
  ["ModelNotReadyException", 429],
  ["ModelStreamErrorException", 424],
  ["ModelTimeoutException", 408],
  ["ResourceNotFoundException", 404],
  ["ServiceQuotaExceededException", 400],
  ["ServiceUnavailableException", 503],
  ["ThrottlingException", 429],
  ["ValidationException", 400],
]);

/** Returns the HTTP status of an exception in a stream, by its name; undefined where it is not known. */
export function statusOfException(name: string): number | undefined {
  return statuses.get(name);
}
