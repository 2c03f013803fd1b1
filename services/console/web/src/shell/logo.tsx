/** The sign of Tollgate: a gate. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" className="logo">
      <rect width="20" height="20" rx="5" />
      <path d="M5 14.5v-9M15 14.5v-9M5 7.5h10M5 11h10" />
    </svg>
  );
}
