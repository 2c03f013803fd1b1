import { PrismaPg } from "@prisma/adapter-pg";
import { readSettings } from "@tollgate/core/config";
import { serveJson } from "@tollgate/generation/json-route";
import { openProviderRuntime } from "@tollgate/generation/provider-runtime";
import { testSlot } from "@tollgate/generation/slot-test/test-slot";
import { serveRoutes } from "@tollgate/http/proxied-request";
import { serveProxied } from "@tollgate/http/server";
import { DocumentService } from "@tollgate/proto/tollgate/v1/document";
import { DocumentTestService } from "@tollgate/proto/tollgate/v1/slot_test";
import { bindService } from "@tollgate/rpc/implementation";
import { openDatabase } from "@tollgate/runtime/database/pool";
import { databaseSettings } from "@tollgate/runtime/database/settings";
import { defineService } from "@tollgate/runtime/service";
import { z } from "zod";
import { classification } from "./classification.ts";
import { PrismaClient } from "./generated/client.ts";
import { handleOcr } from "./ocr/handler.ts";
import { keepJobs } from "./ocr/job-keeping.ts";
import { JobStore } from "./ocr/job-store.ts";
import { createJob, readJob } from "./ocr/jobs.ts";
import { rerank } from "./rerank.ts";
import { documentSchema } from "./schema.ts";
import { callDocumentSlot } from "./test-document-slot.ts";

/** OCR and its jobs, rerank and classification. */
export const document = defineService({
  name: "document",
  async setup(context) {
    const { env, log, migrates, now } = context;
    const settings = readSettings(schema, env);
    const runtime = await openProviderRuntime(context);
    const pool = await openDatabase({
      url: settings.DATABASE_URL,
      schema: documentSchema,
      migrates,
      maxConnections: settings.TOLLGATE_DATABASE_CONNECTIONS,
      log,
    });
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "document" }) });
    const jobs = { runtime, store: new JobStore(prisma, pool), log, now };
    const keeping = keepJobs(jobs);
    const routes = {
      "/v1/ocr": (request) => handleOcr(runtime, request),
      "/v1/ocr/jobs": (request) => createJob(jobs, request),
    } satisfies Parameters<typeof serveRoutes>[0];
    const handlers = { request: serveRoutes(routes, context) };
    const server = await serveProxied(context.httpAddress, handlers, context.peerAuth);
    const implementation = bindService(DocumentService, {
      async rerank(call, cancellation) {
        const { bytes } = await serveJson(runtime, rerank, call, cancellation);
        return { body: bytes };
      },
      async classify(call, cancellation) {
        const { bytes } = await serveJson(runtime, classification, call, cancellation);
        return { body: bytes };
      },
      readOcrJob: (call, { signal }) => readJob(jobs, call, signal),
    });
    const tests = bindService(DocumentTestService, {
      testDocumentSlot: async ({ test }, cancellation) => ({
        result: await testSlot(runtime, test, cancellation, callDocumentSlot),
      }),
    });
    return {
      bindings: [implementation, tests],
      httpAddress: context.httpAddress,
      async drain(graceMs) {
        await Promise.all([server.stop(graceMs), runtime.drain(graceMs)]);
      },
      async stop(graceMs) {
        await keeping.stop();
        await runtime.stop(graceMs);
        await prisma.$disconnect();
        await pool.end();
      },
    };
  },
});

const schema = z.object(databaseSettings);
