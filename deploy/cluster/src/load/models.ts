/** The aliases that a load uses. */
export const models = {
  json: "test-chat",
  stream: "test-stream",
  audio: "test-transcribe",
  images: "test-image",
} as const;

/** The price of audio, of which a response reports no cost. */
export const microUsdPerAudioSecond = 100;
