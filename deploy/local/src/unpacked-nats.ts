/** A NATS server that was unpacked into a scratch folder. */
export interface UnpackedNats {
  file: string;
  version: string;
}
