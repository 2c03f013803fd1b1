import { GatewayError, isErrorCode } from "@tollgate/core/errors";

/** The response header that carries the error of a response from a service to the edge. */
export const errorHeader = "x-tollgate-error";

/** A longer message would exceed the usual bound of headers. */
const maxCharacters = 1_024;

/** Returns the header that carries an error to the edge. */
export function headerOfError({
  code,
  message,
  param,
  hasRecord,
}: GatewayError): Record<string, string> {
  const fields = { code, message: message.slice(0, maxCharacters), param, hasRecord };
  return { [errorHeader]: Buffer.from(JSON.stringify(fields)).toString("base64url") };
}

/** Returns the error in a header; undefined if its code is not known. */
export function readErrorHeader(header: string): GatewayError | undefined {
  const { code, message, param, hasRecord } = JSON.parse(
    Buffer.from(header, "base64url").toString(),
  );
  return isErrorCode(code) ? new GatewayError(code, message, { param, hasRecord }) : undefined;
}
