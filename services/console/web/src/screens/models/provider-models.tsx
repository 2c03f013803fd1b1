import { useQuery } from "@connectrpc/connect-query";
import type { CatalogPrice } from "@tollgate/proto/tollgate/v1/model";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { ProviderModel } from "@tollgate/proto/tollgate/v1/slot_test";
import { formatPico } from "../../format/money.ts";
import { formatCount, perText } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/states.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { ProviderErrorText } from "./test-slot.tsx";

/** Lists the models that a provider's key can see. */
export function ProviderModels({ provider }: { provider: string }) {
  const dialog = useOpen();
  return (
    <>
      <Button look="quiet" onClick={dialog.open} aria-label={`Models of ${provider}`}>
        Models
      </Button>
      <Dialog
        title={`Models of ${provider}`}
        description="What its key can see, with list prices where they are known."
        isOpen={dialog.isOpen}
        onClose={dialog.close}
      >
        <List provider={provider} />
      </Dialog>
    </>
  );
}

function List({ provider }: { provider: string }) {
  // Each reading calls the provider.
  const read = useQuery(
    OperatorService.method.listProviderModels,
    { provider },
    { staleTime: Number.POSITIVE_INFINITY, retry: false },
  );
  return (
    <Loaded query={read} rows={8}>
      {({ models, error, status }) =>
        error === "" ? (
          <DataTable
            caption={`Models of ${provider}`}
            columns={columns}
            rows={models}
            idOf={({ id }) => id}
          />
        ) : (
          <p className="form-error">
            <ProviderErrorText status={status} error={error} />
          </p>
        )
      }
    </Loaded>
  );
}

const columns: readonly DataColumn<ProviderModel>[] = [
  { header: "Model", cell: ({ id }) => <code className="cut">{id}</code> },
  {
    header: "Context in tokens",
    align: "right",
    isSecondary: true,
    cell: ({ contextTokens }) =>
      contextTokens === undefined ? <span className="quiet">–</span> : formatCount(contextTokens),
  },
  { header: "Input", align: "right", cell: (model) => <ListPriceText model={model} of="input" /> },
  {
    header: "Output",
    align: "right",
    cell: (model) => <ListPriceText model={model} of="output" />,
  },
];

/** The price of the list, where it has the model. */
export function ListPriceText({ model, of }: { model: ProviderModel; of: string }) {
  const price: CatalogPrice | undefined = model.listPrices.find(
    ({ dimension }) => dimension === of,
  );
  if (price === undefined) return <span className="quiet">–</span>;
  return (
    <>
      {formatPico(price.pricePicoUsd)}{" "}
      <span className="quiet">{perText(price.per, price.dimension)}</span>
    </>
  );
}
