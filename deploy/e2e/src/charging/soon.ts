import { eventually } from "../eventually.ts";

/** Does what `eventually` does, for a state that is reached within milliseconds: it checks often. */
export function soon<T>(check: () => T | Promise<T>): Promise<T> {
  return eventually(check, { interval: 5 });
}
