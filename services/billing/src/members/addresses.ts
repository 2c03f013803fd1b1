import { invalidParam } from "@tollgate/core/errors";

/** The form that browsers accept in a field for e-mail addresses, with a dot in the host. */
const pattern = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;
const maxLength = 254;

/** Returns an e-mail address in small letters. Throws `invalid_param` for what is not one. */
export function readAddress(text: string): string {
  const address = text.trim().toLowerCase();
  if (address.length <= maxLength && pattern.test(address)) return address;
  throw invalidParam("email", "must be an e-mail address, such as ada@example.com");
}

/** Returns the host of an address. */
export function hostOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}
