const unused = {
  kind: "text",
  dropped: true,
  about: "Accepted for compatibility, and not used. It cannot be set with `stream`.",
} as const;

/** The form of a transcription: the audio service validates it, the edge describes it. */
export const transcriptionForm = {
  file: {
    kind: "file",
    about:
      "The audio: WAV, FLAC or Ogg Opus; with `stream`, 16 kHz mono PCM, raw or in a WAV. " +
      "The content type of the part is sent to the provider.",
  },
  model: {
    kind: "text",
    required: true,
    about: "The alias of a model whose `route_type` is `transcriptions`.",
  },
  stream: {
    kind: "text",
    options: ["true", "false", ""],
    about: "`true` sends server-sent events instead of one JSON object.",
  },
  language: {
    kind: "text",
    about:
      "The spoken language, as the provider of the model names it. Some aliases require it. It " +
      "cannot be set with `stream`.",
  },
  prompt: unused,
  response_format: unused,
  temperature: unused,
} as const;

/** The fields that a stream refuses unless they are empty, with the reason. */
export const refusedInStreams = {
  language: "is detected in a stream, and cannot be chosen",
  prompt: "cannot be set with stream",
  response_format: "cannot be set with stream, which sends server-sent events",
  temperature: "cannot be set with stream",
} as const;
