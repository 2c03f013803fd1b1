import { chatCompletionsOperation } from "../wire/chat-operation.ts";
import { classificationOperation } from "../wire/classification.ts";
import {
  deleteConversationOperation,
  deleteConversationsOperation,
  getConversationOperation,
  listConversationsOperation,
} from "../wire/conversation-operations.ts";
import { getCreditsOperation } from "../wire/credits.ts";
import { embeddingsOperation } from "../wire/embeddings.ts";
import { getHealthOperation } from "../wire/health.ts";
import { imagesOperation } from "../wire/images.ts";
import { liveTranscriptionOperation } from "../wire/live-transcription-operation.ts";
import { getModelOperation, listModelsOperation } from "../wire/models.ts";
import { readOcrJobOperation } from "../wire/ocr-jobs.ts";
import { createOcrJobOperation, ocrOperation } from "../wire/ocr-operations.ts";
import { getDocsOperation, getOpenApiOperation } from "../wire/reference-operations.ts";
import { rerankOperation } from "../wire/rerank.ts";
import { lookUpSettlementOperation } from "../wire/settlement.ts";
import { speechOperation } from "../wire/speech.ts";
import { transcriptionsOperation } from "../wire/transcription-operation.ts";
import { listVoicesOperation } from "../wire/voices.ts";
import type { Operation } from "./operation.ts";

export type Method = "get" | "post" | "delete";

/** What stands at each address of `app.ts`; a test holds the two to each other. */
export const paths: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>> = {
  "/v1/chat/completions": { post: chatCompletionsOperation },
  "/v1/embeddings": { post: embeddingsOperation },
  "/v1/rerank": { post: rerankOperation },
  "/v1/classification": { post: classificationOperation },
  "/v1/images/generations": { post: imagesOperation },
  "/v1/audio/speech": { post: speechOperation },
  "/v1/audio/voices": { get: listVoicesOperation },
  "/v1/audio/transcriptions": { post: transcriptionsOperation },
  "/v1/audio/transcriptions/stream": { get: liveTranscriptionOperation },
  "/v1/ocr": { post: ocrOperation },
  "/v1/ocr/jobs": { post: createOcrJobOperation },
  "/v1/ocr/jobs/{id}": { get: readOcrJobOperation },
  "/v1/conversations": { get: listConversationsOperation, delete: deleteConversationsOperation },
  "/v1/conversations/{id}": { get: getConversationOperation, delete: deleteConversationOperation },
  "/v1/models": { get: listModelsOperation },
  "/v1/models/{alias}": { get: getModelOperation },
  "/v1/credits": { get: getCreditsOperation },
  "/v1/hf/billing": { post: lookUpSettlementOperation },
  "/v1/health": { get: getHealthOperation },
  "/openapi.json": { get: getOpenApiOperation },
  "/docs": { get: getDocsOperation },
};
