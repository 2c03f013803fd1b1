import type { PaymentService } from "@tollgate/proto/tollgate/v1/payment";
import type { Implementation } from "@tollgate/rpc/implementation";
import { requireStripe, type StripeAccess } from "./stripe-client.ts";
import { type EventParts, receiveStripeEvent } from "./stripe-events.ts";

type ReceiverParts = Omit<EventParts, "access"> & { access: StripeAccess | undefined };

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
