import encodeQR from "qr";

/** The light border that a reader needs, in modules. */
const border = 4;

/** Shows a text as a QR code: one path, since the content security policy forbids images of data. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, "raw", { border });
  const size = rows.length;
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} className="qr-light" />
      <path d={darkModules(rows)} className="qr-dark" shapeRendering="crispEdges" />
    </svg>
  );
}

/** Returns a path with a square for each dark module. */
function darkModules(rows: readonly boolean[][]): string {
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return squares.join("");
}
