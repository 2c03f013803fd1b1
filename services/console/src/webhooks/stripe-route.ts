import { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { PaymentService } from "@tollgate/proto/tollgate/v1/payment";
import type { Client } from "@tollgate/rpc/implementation";
import express, { type ErrorRequestHandler, type Request, type Response, Router } from "express";

/** Where Stripe sends its events. */
const stripePath = "/webhooks/stripe";

/** Stripe's events have a few KiB. */
const maxBodyBytes = 512 * 1024;
/** Deliveries in progress: anybody can send one. Stripe repeats what is refused. */
const maxDeliveries = 64;
const retryAfterSeconds = "5";
/** Stripe waits about as long. */
const timeoutMs = 25_000;

export interface StripeRouteParts {
  payments: Client<typeof PaymentService>;
  log: Log;
}

/** Creates the route that forwards Stripe's events to billing, which checks their signatures. */
export function createStripeRoute({ payments, log }: StripeRouteParts): Router {
  let deliveries = 0;

  async function deliver(req: Request, res: Response): Promise<void> {
    const signature = req.get("stripe-signature");
    if (signature === undefined) {
      return void res
        .status(400)
        .type("text/plain")
        .send("The header Stripe-Signature is missing.\n");
    }
    try {
      const body: unknown = req.body;
      const bytes = body instanceof Uint8Array ? new Uint8Array(body) : new Uint8Array();
      await payments.receiveStripeEvent({ body: bytes, signature }, { timeoutMs });
      res.status(200).json({ received: true });
    } catch (error) {
      sendFailure(res, error, log);
    }
  }

  const router = Router();
  router.post(stripePath, (_req, res, next) => {
    if (deliveries >= maxDeliveries) {
      res.status(503).set("Retry-After", retryAfterSeconds).type("text/plain").send("Busy.\n");
      return;
    }
    deliveries += 1;
    res.once("close", () => {
      deliveries -= 1;
    });
    next();
  });
  router.post(stripePath, express.raw({ type: () => true, limit: maxBodyBytes }), deliver);
  router.use(stripePath, refuseBody);
  return router;
}

/** A body that is too large, or in an unknown coding, is the sender's fault. */
const refuseBody: ErrorRequestHandler = (error: { status?: number }, _req, res, next) => {
  if (res.headersSent || (error.status ?? 500) >= 500) return next(error);
  res
    .status(error.status ?? 400)
    .type("text/plain")
    .send("The body cannot be read.\n");
};

/** Sends a status outside 2xx, so that Stripe repeats the event, and no internal message. */
function sendFailure(res: Response, error: unknown, log: Log): void {
  if (error instanceof GatewayError && error.status < 500) {
    res.status(error.status).type("text/plain").send(`${error.message}\n`);
    return;
  }
  const reason = (error as Error).message;
  log.warn({ reason }, "an event of Stripe could not be handled and will be repeated");
  res.status(503).set("Retry-After", retryAfterSeconds).type("text/plain").send("Try again.\n");
}
