import { objectsIn } from "@tollgate/core/json";
import { memberOf, messageOfRefusal } from "../refusal-message.ts";

/** Returns the message of a refusal. Mistral has a list of reasons in it where fields are not valid. */
export function refusalMessage(body: unknown): string | undefined {
  const message = memberOf(body, "message");
  const reasons = objectsIn(memberOf(message, "detail"));
  return messageOfRefusal(body, message, reasons[0]?.msg);
}

/** Returns the HTTP status of an error in a stream, which the package has in that of its validation. */
export function statusOfEvent(error: unknown): number | undefined {
  const status = memberOf(memberOf(error, "value"), "raw_status_code");
  return typeof status === "number" ? status : undefined;
}
