import { createChatCompletion } from "./chat-completions/handler.ts";
import { createChatCompletionOperation } from "./chat-completions/operation.ts";
import { classify } from "./classification/handler.ts";
import { classifyOperation } from "./classification/operation.ts";
import {
  deleteConversation,
  deleteConversations,
  getConversation,
  listConversations,
} from "./conversations/handler.ts";
import {
  deleteConversationOperation,
  deleteConversationsOperation,
  getConversationOperation,
  listConversationsOperation,
} from "./conversations/operation.ts";
import { pageQuery } from "./conversations/schema.ts";
import { getCredits } from "./credits/handler.ts";
import { getCreditsOperation } from "./credits/operation.ts";
import { getDocs, getDocsFile } from "./docs/handler.ts";
import { getDocsFileOperation, getDocsOperation } from "./docs/operation.ts";
import { createEmbeddings } from "./embeddings/handler.ts";
import { createEmbeddingsOperation } from "./embeddings/operation.ts";
import { getHealth } from "./health/handler.ts";
import { getHealthOperation } from "./health/operation.ts";
import { generateImages } from "./image-generations/handler.ts";
import { generateImagesOperation } from "./image-generations/operation.ts";
import { streamTranscription } from "./live-transcription/handler.ts";
import { streamTranscriptionOperation } from "./live-transcription/operation.ts";
import { countMessageTokens, createMessage } from "./messages/handler.ts";
import { countMessageTokensOperation, createMessageOperation } from "./messages/operation.ts";
import { messagesRules } from "./messages/rules.ts";
import { modelQuery } from "./model-query.ts";
import { anthropicList, anthropicModel } from "./models/anthropic-variant.ts";
import { getModel, listModels } from "./models/handler.ts";
import { getModelOperation, listModelsOperation } from "./models/operation.ts";
import { readDocument } from "./ocr/handler.ts";
import { readDocumentOperation } from "./ocr/operation.ts";
import { createOcrJob, readOcrJob } from "./ocr-jobs/handler.ts";
import { createOcrJobOperation, readOcrJobOperation } from "./ocr-jobs/operation.ts";
import { getOpenApi } from "./openapi/handler.ts";
import { getOpenApiOperation } from "./openapi/operation.ts";
import { rerankDocuments } from "./rerank/handler.ts";
import { rerankOperation } from "./rerank/operation.ts";
import { createResponse } from "./responses/handler.ts";
import { createResponseOperation } from "./responses/operation.ts";
import { getRoot } from "./root/handler.ts";
import { getRootOperation } from "./root/operation.ts";
import {
  type Route,
  repeated,
  replayed,
  webSocket,
  withKey,
  withOptionalKey,
  withoutKey,
} from "./route.ts";
import { getSettlement } from "./settlement/handler.ts";
import { lookUpSettlementOperation } from "./settlement/operation.ts";
import { createSpeech } from "./speech/handler.ts";
import { createSpeechOperation } from "./speech/operation.ts";
import { createTranscription } from "./transcriptions/handler.ts";
import { createTranscriptionOperation } from "./transcriptions/operation.ts";
import { listVoices } from "./voices/handler.ts";
import { listVoicesOperation } from "./voices/operation.ts";

/**
 * The whole address space of the gateway, in the order of its reference. A row says what a route does.
 * The app serves these routes, and the OpenAPI document describes them.
 */
export const routes: readonly Route[] = [
  replayed("/v1/chat/completions", createChatCompletion, createChatCompletionOperation),
  replayed("/v1/messages", createMessage, createMessageOperation, messagesRules),
  withKey("POST", "/v1/messages/count_tokens", countMessageTokens, countMessageTokensOperation, {
    ...messagesRules,
    wallet: "checked",
    calls: "provider",
  }),
  replayed("/v1/responses", createResponse, createResponseOperation),
  replayed("/v1/embeddings", createEmbeddings, createEmbeddingsOperation, {
    isResponseData: true,
  }),
  replayed("/v1/rerank", rerankDocuments, rerankOperation),
  replayed("/v1/classification", classify, classifyOperation),
  replayed("/v1/images/generations", generateImages, generateImagesOperation),
  repeated("/v1/audio/speech", createSpeech, createSpeechOperation),
  withKey("GET", "/v1/audio/voices", listVoices, listVoicesOperation, {
    query: modelQuery("speech"),
    calls: "provider",
  }),
  repeated("/v1/audio/transcriptions", createTranscription, createTranscriptionOperation),
  webSocket("/v1/audio/transcriptions/stream", streamTranscription, streamTranscriptionOperation),
  repeated("/v1/ocr", readDocument, readDocumentOperation),
  repeated("/v1/ocr/jobs", createOcrJob, createOcrJobOperation),
  withKey("GET", "/v1/ocr/jobs/{id}", readOcrJob, readOcrJobOperation, {
    query: modelQuery("ocr"),
    calls: "provider",
  }),
  withKey("GET", "/v1/conversations", listConversations, listConversationsOperation, {
    query: pageQuery,
  }),
  withKey("DELETE", "/v1/conversations", deleteConversations, deleteConversationsOperation),
  withKey("GET", "/v1/conversations/{id}", getConversation, getConversationOperation),
  withKey("DELETE", "/v1/conversations/{id}", deleteConversation, deleteConversationOperation),
  withOptionalKey("GET", "/v1/models", listModels, listModelsOperation, anthropicList),
  withOptionalKey("GET", "/v1/models/{alias}", getModel, getModelOperation, anthropicModel),
  withKey("GET", "/v1/credits", getCredits, getCreditsOperation),
  withKey("POST", "/v1/hf/billing", getSettlement, lookUpSettlementOperation, {
    auth: "settlement key",
  }),
  withoutKey("GET", "/v1/health", getHealth, getHealthOperation),
  withoutKey("GET", "/", getRoot, getRootOperation),
  withoutKey("GET", "/openapi.json", getOpenApi, getOpenApiOperation, { query: [] }),
  withoutKey("GET", "/docs", () => getDocs(), getDocsOperation),
  withoutKey("GET", "/docs/{file}", () => getDocsFile(), getDocsFileOperation),
];
