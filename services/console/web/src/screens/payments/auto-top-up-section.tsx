import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { GetAutoTopUpResponse, SavedCard } from "@tollgate/proto/tollgate/v1/payment";
import { errorMessageOf } from "../../calls/query-client.ts";
import { useChange } from "../../calls/use-change.ts";
import { useAccess } from "../../calls/use-session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Money } from "../../ui/money.tsx";
import { Section } from "../../ui/screen.tsx";
import { Loaded } from "../../ui/states.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { EditAutoTopUp } from "./edit-auto-top-up.tsx";
import { openStripePage } from "./stripe-page.ts";

/** The automatic top-ups of an account, and its saved card. */
export function AutoTopUpSection({ account }: { account: string }) {
  const settings = useQuery(OperatorService.method.getAutoTopUp, { account });
  const { canPay } = useAccess();
  const edit = useOpen();
  const saved = settings.data;
  return (
    <Section
      title="Automatic top-ups"
      note="by a saved card, when the balance is low"
      actions={
        canPay &&
        saved && (
          <>
            <StripeButton account={account} page={saved.card ? "portal" : "card"} />
            {saved.card && (
              <Button onClick={edit.open}>
                {saved.stopReason === "" ? "Change top-ups" : "Resume top-ups"}
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={settings} rows={2}>
        {(found) => (
          <>
            <StartCredit nano={found.startCreditNanoUsd} hasCard={found.card !== undefined} />
            <Stopped reason={found.stopReason} />
            <Facts facts={factsOf(found)} />
            <EditAutoTopUp
              key={edit.key}
              {...{ account, isOpen: edit.isOpen, onClose: edit.close }}
              autoTopUp={found.autoTopUp}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** The start credit that waits for a card. */
function StartCredit({ nano, hasCard }: { nano: bigint; hasCard: boolean }) {
  if (nano === 0n) return null;
  return (
    <p role="status">
      A start credit of <Money nano={nano} /> is paid once a card is saved.
      {hasCard && " The saved one has paid it for another account, is prepaid, or is of a wallet."}
    </p>
  );
}

function Stopped({ reason }: { reason: string }) {
  if (reason === "") return null;
  return (
    <p role="status">
      <Badge tone="bad">stopped</Badge> {reason}
    </p>
  );
}

function factsOf({ autoTopUp, card, paidNanoUsd }: GetAutoTopUpResponse) {
  const saved = ["Card", card === undefined ? "none is saved" : cardText(card)] as const;
  if (!autoTopUp?.isEnabled) return [["Automatic top-ups", "off"], saved] as const;
  const { thresholdNanoUsd, amountNanoUsd, monthlyCapNanoUsd } = autoTopUp;
  return [
    ["When the balance is below", <Money key="threshold" nano={thresholdNanoUsd} />],
    ["The card pays", <Money key="amount" nano={amountNanoUsd} />],
    [
      "Paid this month (UTC)",
      <span key="paid">
        <Money nano={paidNanoUsd} /> of at most <Money nano={monthlyCapNanoUsd} />
      </span>,
    ],
    saved,
  ] as const;
}

function cardText({ brand, lastFour, expiryMonth, expiryYear }: SavedCard): string {
  return `${brand} ${lastFour}, expires ${String(expiryMonth).padStart(2, "0")}/${expiryYear}`;
}

/** Opens the page on which the first card is saved, or the portal, which has all cards and tax ids. */
function StripeButton({ account, page }: { account: string; page: "card" | "portal" }) {
  const { createCardSetup, createPortalSession } = OperatorService.method;
  const card = useChange(createCardSetup, { onSuccess: openStripePage });
  const portal = useChange(createPortalSession, { onSuccess: openStripePage });
  const open = page === "card" ? card : portal;
  return (
    <>
      {open.error && (
        <span className="form-error" role="alert">
          {errorMessageOf(open.error)}
        </span>
      )}
      <Button disabled={open.isPending} onClick={() => open.mutate({ account })}>
        {page === "card" ? "Save a card" : "Cards and tax ids"}
      </Button>
    </>
  );
}
