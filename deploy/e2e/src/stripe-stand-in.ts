import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What the stand-in has of a PaymentIntent. */
export interface StandInIntent {
  id: string;
  object: "payment_intent";
  status: string;
  currency: string;
  amount: number;
  amount_received: number;
  /** Seconds. */
  created: number;
  metadata: Record<string, string>;
  customer: string | null;
  last_payment_error: { message: string } | null;
}

export interface StandInRefund {
  id: string;
  object: "refund";
  amount: number;
  currency: string;
  status: string;
  payment_intent: string;
  created: number;
}

export interface StandInDispute extends Omit<StandInRefund, "object"> {
  object: "dispute";
  reason: string;
}

/** A request that the gateway sent: its form, by name. */
export interface SentForm {
  path: string;
  form: Readonly<Record<string, string>>;
  idempotencyKey: string | undefined;
}

/** What a test says is true, and what the gateway has sent. */
interface Books {
  sent: SentForm[];
  intents: Map<string, StandInIntent>;
  refunds: StandInRefund[];
  disputes: StandInDispute[];
}

/** As much of Stripe as the gateway uses. */
export interface StripeStandIn extends Books {
  url: string;
  /** Adds the PaymentIntent of a payment of the gateway, which is paid unless `fields` say otherwise. */
  pay(paymentId: string, cents: number, fields?: Partial<StandInIntent>): StandInIntent;
  refund(intent: StandInIntent, cents: number, fields?: Partial<StandInRefund>): StandInRefund;
  dispute(intent: StandInIntent, cents: number): StandInDispute;
  close(): Promise<void>;
}

/** Returns an event of Stripe, as the body of a delivery. */
export function stripeEvent(type: string, object: object, fields: object = {}): string {
  const event = {
    id: `evt_${randomUUID()}`,
    object: "event",
    type,
    data: { object },
    created: nowSeconds(),
  };
  return JSON.stringify({ ...event, ...fields });
}

/** Returns the header Stripe-Signature of a body. */
export function signStripeEvent(body: string, secret: string, seconds = nowSeconds()): string {
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${signature}`;
}

export async function startStripeStandIn(): Promise<StripeStandIn> {
  const books: Books = { sent: [], intents: new Map(), refunds: [], disputes: [] };
  const respond = responder(books);
  const server = createServer(async (req, res) => {
    let body = "";
    for await (const chunk of req) body += chunk;
    const { status, response } = respond(req, body);
    res.writeHead(status, { "content-type": "application/json" });
    res.end(JSON.stringify(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    ...books,
    pay(paymentId, cents, fields = {}) {
      const intent: StandInIntent = {
        ...{
          id: `pi_${randomUUID()}`,
          object: "payment_intent",
          status: "succeeded",
          currency: "usd",
        },
        ...{ amount: cents, amount_received: cents, created: nowSeconds(), customer: null },
        ...{ metadata: { tollgate_payment: paymentId }, last_payment_error: null },
        ...fields,
      };
      books.intents.set(intent.id, intent);
      return intent;
    },
    refund({ id, currency }, cents, fields = {}) {
      const refund: StandInRefund = {
        ...{ id: `re_${randomUUID()}`, object: "refund", amount: cents, currency },
        ...{ status: "succeeded", payment_intent: id, created: nowSeconds(), ...fields },
      };
      books.refunds.push(refund);
      return refund;
    },
    dispute({ id, currency }, cents) {
      const dispute: StandInDispute = {
        ...{ id: `du_${randomUUID()}`, object: "dispute", amount: cents, currency },
        ...{ status: "needs_response", payment_intent: id, created: nowSeconds() },
        reason: "fraudulent",
      };
      books.disputes.push(dispute);
      return dispute;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns what responds to the requests of the gateway. */
function responder({ sent, intents, refunds, disputes }: Books) {
  const created = new Map<string, object>();

  /** Returns the response to a POST: the same one for the same Idempotency-Key, as Stripe does. */
  function post(form: SentForm): object {
    const known = form.idempotencyKey === undefined ? undefined : created.get(form.idempotencyKey);
    if (known !== undefined) return known;
    const response = createObject(form);
    if (form.idempotencyKey !== undefined) created.set(form.idempotencyKey, response);
    return response;
  }

  function createObject({ path }: SentForm): object {
    const id = randomUUID();
    if (path === "/v1/customers") return { id: `cus_${id}`, object: "customer" };
    if (path === "/v1/checkout/sessions") {
      return { id: `cs_${id}`, object: "checkout.session", url: `https://checkout.test/${id}` };
    }
    throw new Error(`the stand-in of Stripe has no POST ${path}`);
  }

  function get(url: URL): object | undefined {
    const [, id = ""] = /^\/v1\/payment_intents\/(.+)$/.exec(url.pathname) ?? [];
    if (id !== "") return intents.get(id);
    if (url.pathname === "/v1/payment_intents") return page([...intents.values()], url);
    if (url.pathname === "/v1/refunds") return page(refunds, url);
    if (url.pathname === "/v1/disputes") return page(disputes, url);
    return undefined;
  }

  return ({ method, url: path, headers }: IncomingMessage, body: string) => {
    const url = new URL(path ?? "", "http://stripe.test");
    const form = Object.fromEntries(new URLSearchParams(body));
    const idempotencyKey = headers["idempotency-key"]?.toString();
    const request = { path: url.pathname, form, idempotencyKey };
    if (method === "POST") sent.push(request);
    const found = method === "POST" ? post(request) : get(url);
    return found === undefined ? missing : { status: 200, response: found };
  };
}

const missing = {
  status: 404,
  response: {
    error: { type: "invalid_request_error", code: "resource_missing", message: "No such object" },
  },
};

/** Lists all objects of a query on one page. */
function page(objects: readonly { created: number; payment_intent?: string }[], url: URL): object {
  const since = Number(url.searchParams.get("created[gte]") ?? 0);
  const intent = url.searchParams.get("payment_intent");
  const data = objects.filter(
    (one) => one.created >= since && (intent === null || one.payment_intent === intent),
  );
  return { object: "list", data, has_more: false, url: url.pathname };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
