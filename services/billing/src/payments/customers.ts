import type { Account, PrismaClient } from "../generated/client.ts";
import type { StripeAccess } from "./stripe-client.ts";

/** Resolves with the id of the account's customer at Stripe. Creates the customer at the first call. */
export async function ensureCustomer(
  { prisma, access }: { prisma: PrismaClient; access: StripeAccess },
  { id: accountId, name }: Pick<Account, "id" | "name">,
): Promise<string> {
  const known = await prisma.paymentCustomer.findUnique({ where: { accountId } });
  if (known !== null) return known.customerId;
  const customer = await access.stripe.customers.create(
    { name, metadata: { tollgate_account: accountId } },
    // Two calls at the same time create one customer.
    { idempotencyKey: `customer-${accountId}` },
  );
  const data = [{ accountId, customerId: customer.id }];
  await prisma.paymentCustomer.createMany({ data, skipDuplicates: true });
  const stored = await prisma.paymentCustomer.findUniqueOrThrow({ where: { accountId } });
  return stored.customerId;
}
