/** Returns a reference for a payment that nobody else uses: `console-20261123-1f0c9a4e`. */
export function newReference(prefix: string): string {
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
  const random = Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  return `${prefix}-${day}-${random.join("")}`;
}
