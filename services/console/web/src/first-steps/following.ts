const name = "first-steps";

/** Returns whether this tab has shown first steps of which one is not done. */
export function isFollowing(storage: Storage): boolean {
  return storage.getItem(name) !== null;
}

/** Stores whether first steps of which one is not done are shown. */
export function storeIsFollowing(storage: Storage, isFollowing: boolean): void {
  if (isFollowing) storage.setItem(name, "1");
  else storage.removeItem(name);
}
