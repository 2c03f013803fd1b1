import { hashOfId } from "../ai-sdk/call-ids.ts";

/** The ids of calls that Mistral accepts. Any other is refused with 400 and the code 3280. */
const mistralId = /^[a-zA-Z0-9]{9}$/;

/** Returns the id of a call as Mistral accepts it: that of another provider's call becomes a hash. */
export function mistralCallId(id: string): string {
  return mistralId.test(id) ? id : hashOfId(id, 9);
}
