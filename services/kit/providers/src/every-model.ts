/** What is true of every model of a kind. */
export function always(): boolean {
  return true;
}

/** What is true of no model of a kind. */
export function never(): boolean {
  return false;
}
