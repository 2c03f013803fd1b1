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

/** A card that a customer has saved. */
export interface StandInCard {
  id: string;
  customer: string;
  /** Whether the next payments succeed. */
  isAccepted: boolean;
  /** Identifies the card's number: customers who save the same card have the same fingerprint. */
  fingerprint: string;
  funding: "credit" | "prepaid";
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
  cards: StandInCard[];
  /** Responses to payments by a card that are lost after the payment, from now on. */
  losses: { left: number };
}

/** As much of Stripe as the gateway uses. */
export interface StripeStandIn extends Books {
  url: string;
  /** Adds the PaymentIntent of a payment of the gateway, which is paid unless `fields` say otherwise. */
  pay(paymentId: string, cents: number, fields?: Partial<StandInIntent>): StandInIntent;
  refund(intent: StandInIntent, cents: number, fields?: Partial<StandInRefund>): StandInRefund;
  dispute(intent: StandInIntent, cents: number): StandInDispute;
  /** Saves a card of the customer of an account. */
  saveCard(account: string, fields?: Partial<StandInCard>): StandInCard;
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
  const books: Books = {
    ...{ sent: [], intents: new Map(), refunds: [], disputes: [], cards: [] },
    losses: { left: 0 },
  };
  const respond = responder(books);
  const server = createServer(async (req, res) => {
    let body = "";
    for await (const chunk of req) body += chunk;
    const { status, response, isLost } = respond(req, body);
    if (isLost) return void req.socket.destroy();
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
    saveCard(account, fields = {}) {
      const customer = customerOf(account);
      const card: StandInCard = {
        ...{ id: `pm_${randomUUID()}`, customer, isAccepted: true },
        ...{ fingerprint: randomUUID(), funding: "credit", ...fields },
      };
      books.cards.unshift(card);
      return card;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the id of the customer of an account. */
function customerOf(account: string): string {
  return `cus_${account}`;
}

interface Reply {
  status: number;
  response: object;
  isLost?: boolean;
}

/** Returns what responds to the requests of the gateway. */
function responder(books: Books) {
  const { sent, intents, refunds, disputes, losses } = books;
  const replies = new Map<string, Reply>();

  /** Returns the reply to a POST: the same one for the same Idempotency-Key, as Stripe does. */
  function post(form: SentForm): Reply {
    const { idempotencyKey: key } = form;
    const known = key === undefined ? undefined : replies.get(key);
    const reply = known ?? createObject(form);
    if (key !== undefined) replies.set(key, reply);
    if (form.path !== "/v1/payment_intents" || losses.left === 0) return reply;
    losses.left -= 1;
    return { ...reply, isLost: true };
  }

  function createObject({ path, form }: SentForm): Reply {
    const id = randomUUID();
    if (path === "/v1/payment_intents") return chargeCard(books, form);
    if (path === "/v1/customers") {
      const account = form["metadata[tollgate_account]"] ?? "";
      return ok({ id: customerOf(account), object: "customer" });
    }
    if (path === "/v1/checkout/sessions") {
      const url = `https://checkout.test/${id}`;
      return ok({ id: `cs_${id}`, object: "checkout.session", url });
    }
    if (path === "/v1/billing_portal/sessions") {
      const url = `https://portal.test/${form.customer}`;
      return ok({ id: `bps_${id}`, object: "billing_portal.session", url });
    }
    throw new Error(`the stand-in of Stripe has no POST ${path}`);
  }

  function get(url: URL): object | undefined {
    const [, intentId] = /^\/v1\/payment_intents\/(.+)$/.exec(url.pathname) ?? [];
    if (intentId !== undefined) return intents.get(intentId);
    const [, customer, part] =
      /^\/v1\/customers\/([^/]+)(\/payment_methods)?$/.exec(url.pathname) ?? [];
    if (customer !== undefined)
      return part ? page(cardsOf(books, customer), url) : customerObject(customer);
    if (url.pathname === "/v1/payment_intents") return page([...intents.values()], url);
    if (url.pathname === "/v1/refunds") return page(refunds, url);
    if (url.pathname === "/v1/disputes") return page(disputes, url);
    return undefined;
  }

  return ({ method, url: path, headers }: IncomingMessage, body: string): Reply => {
    const url = new URL(path ?? "", "http://stripe.test");
    const form = Object.fromEntries(new URLSearchParams(body));
    const idempotencyKey = headers["idempotency-key"]?.toString();
    const request = { path: url.pathname, form, idempotencyKey };
    if (method === "POST") {
      sent.push(request);
      return post(request);
    }
    const found = get(url);
    return found === undefined ? missing : ok(found);
  };
}

/** Charges a saved card at once. A card that declines leaves a PaymentIntent that is not paid. */
function chargeCard({ cards, intents }: Books, form: SentForm["form"]): Reply {
  const card = cards.find(({ id }) => id === form.payment_method);
  if (card === undefined || card.customer !== form.customer) return missing;
  const amount = Number(form.amount);
  const message = "Your card was declined.";
  const intent: StandInIntent = {
    ...{ id: `pi_${randomUUID()}`, object: "payment_intent", created: nowSeconds() },
    ...{ currency: form.currency ?? "", amount, customer: card.customer },
    amount_received: card.isAccepted ? amount : 0,
    status: card.isAccepted ? "succeeded" : "requires_payment_method",
    metadata: { tollgate_payment: form["metadata[tollgate_payment]"] ?? "" },
    last_payment_error: card.isAccepted ? null : { message },
  };
  intents.set(intent.id, intent);
  if (card.isAccepted) return ok(intent);
  const error = { type: "card_error", code: "card_declined", message, payment_intent: intent };
  return { status: 402, response: { error } };
}

function cardsOf({ cards }: Books, customer: string) {
  const visa = { brand: "visa", last4: "4242", exp_month: 4, exp_year: 2031, wallet: null };
  const own = cards.filter((one) => one.customer === customer);
  return own.map(({ id, fingerprint, funding }) => ({
    ...{ id, object: "payment_method", type: "card", customer },
    card: { ...visa, fingerprint, funding },
  }));
}

function ok(response: object): Reply {
  return { status: 200, response };
}

function customerObject(id: string): object {
  return { id, object: "customer", invoice_settings: { default_payment_method: null } };
}

const missing: Reply = {
  status: 404,
  response: {
    error: { type: "invalid_request_error", code: "resource_missing", message: "No such object" },
  },
};

interface Listed {
  created?: number;
  payment_intent?: string;
  customer?: string | null;
}

/** Lists all objects of a query on one page. */
function page(objects: readonly Listed[], url: URL): object {
  const since = Number(url.searchParams.get("created[gte]") ?? 0);
  const intent = url.searchParams.get("payment_intent");
  const customer = url.searchParams.get("customer");
  const data = objects.filter(
    (one) =>
      (one.created ?? since) >= since &&
      (intent === null || one.payment_intent === intent) &&
      (customer === null || one.customer === customer),
  );
  return { object: "list", data, has_more: false, url: url.pathname };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
