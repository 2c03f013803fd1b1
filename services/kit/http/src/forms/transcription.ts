const unused = {
  kind: "text",
  dropped: true,
  about: "Taken for the sake of clients that send it, and not used.",
} as const;

/** The form of an uploaded transcription: the audio service checks it, the edge describes it. */
export const transcriptionForm = {
  file: {
    kind: "file",
    about:
      "The audio: WAV, FLAC or Ogg with Opus; for a stream, 16 kHz mono PCM, bare or in a WAV. " +
      "Its part's content type goes on to the provider.",
  },
  model: {
    kind: "text",
    required: true,
    about: "The alias of a model whose `route_type` is `transcriptions`.",
  },
  stream: {
    kind: "text",
    options: ["true", "false", ""],
    about: "`true` answers with server-sent events instead of one JSON.",
  },
  language: {
    kind: "text",
    about:
      "The spoken language, as the model's provider names it. Some aliases need it; in a stream " +
      "it cannot be chosen.",
  },
  prompt: unused,
  response_format: unused,
  temperature: unused,
} as const;
