import { GatewayError, isErrorCode } from "@tollgate/core/errors";

/** The response header in which a service tells the edge the error that it sends the client. */
export const errorHeader = "x-tollgate-error";

/** What fits a header. */
const maxCharacters = 1_024;

/** Returns the header that tells the edge the error of a response. */
export function headerOfError({
  code,
  message,
  param,
  hasRecord,
}: GatewayError): Record<string, string> {
  const told = { code, message: message.slice(0, maxCharacters), param, hasRecord };
  return { [errorHeader]: Buffer.from(JSON.stringify(told)).toString("base64url") };
}

/** Returns the error that a service has told; undefined for one that is not known. */
export function readErrorHeader(header: string): GatewayError | undefined {
  const { code, message, param, hasRecord } = JSON.parse(
    Buffer.from(header, "base64url").toString(),
  );
  return isErrorCode(code) ? new GatewayError(code, message, { param, hasRecord }) : undefined;
}
