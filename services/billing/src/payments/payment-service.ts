import type { Log } from "@tollgate/core/log";
import type { PaymentService } from "@tollgate/proto/tollgate/v1/payment";
import type { Implementation } from "@tollgate/rpc/implementation";
import type { PaymentParts } from "./settle-payment.ts";
import { requireStripe, type StripeAccess } from "./stripe-client.ts";
import { receiveStripeEvent } from "./stripe-events.ts";

type ReceiverParts = Omit<PaymentParts, "access"> & { access: StripeAccess | undefined; log: Log };

/** Returns the calls by which the console forwards events of payment systems. */
export function implementPaymentService(
  parts: ReceiverParts,
): Implementation<typeof PaymentService> {
  return {
    async receiveStripeEvent(delivery) {
      const access = requireStripe(parts.access);
      await receiveStripeEvent({ ...parts, access }, delivery);
      return {};
    },
  };
}
