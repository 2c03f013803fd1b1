import { crc32, deflateSync } from "node:zlib";

const side = 256;
const bytesOfPixel = 3;
const signature = Buffer.from("\u0089PNG\r\n\u001a\n", "latin1");
/** Truecolour of 8 bits, not interlaced. */
const format = [8, 2, 0, 0, 0];

/** A PNG of 256 × 256 pixels in base64: red grows to the right, green downwards. */
export const picture = drawPicture().toString("base64");

/** https://www.w3.org/TR/png-3/ */
function drawPicture(): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(side, 0);
  size.writeUInt32BE(side, 4);
  return Buffer.concat([
    signature,
    chunk("IHDR", Buffer.concat([size, Buffer.from(format)])),
    chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: side }, (_, y) => row(y))))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/**
 * Returns a row with its filter in front, by which it compresses well: the first row has the difference of each
 * pixel from the one to its left, the others from the one above.
 */
function row(y: number): Buffer {
  const pixel = y === 0 ? [1, 0, 0] : [0, 1, 0];
  const pixels = Buffer.alloc(side * bytesOfPixel, Buffer.from(pixel));
  if (y === 0) pixels.set([0, 0, 160]);
  return Buffer.concat([Buffer.from([y === 0 ? 1 : 2]), pixels]);
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.byteLength);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
