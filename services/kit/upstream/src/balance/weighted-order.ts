/**
 * Returns the place of a candidate in an order, lower first. The weights are the odds to come first, and among
 * the rest to come next. `share` is a number above 0 and below 1 that was drawn for the candidate.
 */
export function placeOf(weight: number, share: number): number {
  // The time of the first event of a process with the rate `weight`: the earliest of several is drawn by
  // their rates.
  return -Math.log(share) / weight;
}

/**
 * Returns the share of a candidate for an affinity, given the hashes of both: always the same, and pseudo-random
 * over affinities. All requests with one affinity have the same order of candidates (rendezvous hashing). Adding
 * or removing a candidate changes only its own place.
 */
export function shareOf(affinity: number, candidate: number): number {
  return (mix(affinity ^ candidate) + 0.5) / 2 ** 32;
}

/** Returns a hash of 32 bits (FNV-1a). It is not a secret: a client that chooses the text can choose its order. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return mix(hash);
}

/** Spreads each bit over all others, as the end of MurmurHash3 does. */
function mix(bits: number): number {
  let mixed = bits;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
