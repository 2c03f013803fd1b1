export const routeTypes = [
  "chat",
  "embeddings",
  "speech",
  "transcriptions",
  "rerank",
  "ocr",
  "classification",
  "images",
] as const;

export type RouteType = (typeof routeTypes)[number];
