/** A thin bar of how much is used. It repeats a number that stands beside it. */
export function Share({
  part,
  total,
  tone,
}: {
  part: bigint;
  total: bigint;
  tone?: "warn" | "bad";
}) {
  const percent = total === 0n ? 0 : Number((part * 1_000n) / total) / 10;
  const width = part > 0n ? Math.max(1, Math.min(100, percent)) : 0;
  return (
    <svg
      className={`share ${tone ?? ""}`}
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect className="track" width="100" height="4" />
      <rect width={width} height="4" />
    </svg>
  );
}
