/** Signed 16 bit, 16 kHz, mono. */
export const bytesPerSecond = 32_000;

/** Returns a tone as raw PCM. */
export function pcm(seconds: number): Buffer {
  const samples = Int16Array.from({ length: seconds * 16_000 }, (_, index) =>
    Math.round(Math.sin(index / 12) * 8_000),
  );
  return Buffer.from(samples.buffer);
}

/**
 * Returns a WAV of `seconds`, with a chunk of `junk` bytes before its samples and one of `trailer`
 * bytes after them; `pace` is the number of bytes per second that its header claims.
 */
export function wav(
  seconds: number,
  { rate = 16_000, channels = 1, bits = 16, format = 1, junk = 0, trailer = 0, pace = 0 } = {},
): Buffer {
  const perSecond = (rate * channels * bits) / 8;
  const data = Buffer.alloc(Math.round(seconds * perSecond), 7);
  const fmt = Buffer.alloc(16);
  fmt.writeUInt16LE(format, 0);
  fmt.writeUInt16LE(channels, 2);
  fmt.writeUInt32LE(rate, 4);
  fmt.writeUInt32LE(pace || perSecond, 8);
  fmt.writeUInt16LE((channels * bits) / 8, 12);
  fmt.writeUInt16LE(bits, 14);
  const chunks = [chunk("fmt ", fmt), ...(junk ? [chunk("JUNK", Buffer.alloc(junk))] : [])];
  chunks.push(chunk("data", data));
  if (trailer) chunks.push(chunk("LIST", Buffer.alloc(trailer)));
  const body = Buffer.concat([Buffer.from("WAVE"), ...chunks]);
  return chunk("RIFF", body);
}

/** The first bytes of a FLAC file and of an Ogg stream with Opus. */
export const flac = Buffer.concat([
  Buffer.from("fLaC"),
  Buffer.from([0x80, 0, 0, 34]),
  Buffer.alloc(34, 3),
  Buffer.alloc(5_000, 9),
]);
export const oggOpus = Buffer.concat([
  Buffer.from("OggS\0\u0002", "latin1"),
  Buffer.alloc(20),
  Buffer.from([1, 19]),
  Buffer.from("OpusHead\u0001\u0001", "latin1"),
  Buffer.alloc(5_000, 5),
]);

function chunk(id: string, contents: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 0, "latin1");
  head.writeUInt32LE(contents.length, 4);
  return Buffer.concat([head, contents, Buffer.alloc(contents.length % 2)]);
}
