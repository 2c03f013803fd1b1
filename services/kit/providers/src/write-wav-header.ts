const headerBytes = 44;
const bitsPerSample = 16;

/** Returns the header of a WAV file of mono 16-bit PCM: http://soundfile.sapp.org/doc/WaveFormat/ */
export function writeWavHeader(dataBytes: number, sampleRate: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  const bytesPerSample = bitsPerSample / 8;
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(headerBytes - 8 + dataBytes, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * bytesPerSample, 28);
  header.writeUInt16LE(bytesPerSample, 32);
  header.writeUInt16LE(bitsPerSample, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
