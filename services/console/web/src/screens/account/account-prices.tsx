import { useQuery } from "@connectrpc/connect-query";
import type { CatalogPrice, ModelPrices } from "@tollgate/proto/tollgate/v1/model";
import { type Account, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { formatPico } from "../../format/money.ts";
import { formatCount, perText } from "../../format/numbers.ts";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";

/** The prices that an account pays. */
export function AccountPrices({ account }: { account: Account }) {
  const read = useQuery(OperatorService.method.listPrices, { account: account.id });
  return (
    <Loaded query={read} rows={8}>
      {({ models, plan }) => (
        <>
          {plan !== account.plan && (
            <p className="quiet">
              The catalog has no plan {account.plan}: the account pays the list prices.
            </p>
          )}
          {models.length === 0 ? (
            <Empty icon="models" title="No model is public">
              The catalog lists the models and their prices.
            </Empty>
          ) : (
            <DataTable
              caption={plan === "" ? "List prices" : `Prices of the plan ${plan}`}
              columns={columns}
              rows={models.flatMap((model) => model.prices.map((price) => ({ model, price })))}
              idOf={({ model, price }) =>
                `${model.alias} ${price.dimension} ${price.aboveInputTokens}`
              }
            />
          )}
        </>
      )}
    </Loaded>
  );
}

interface Row {
  model: ModelPrices;
  price: CatalogPrice;
}

const columns: readonly DataColumn<Row>[] = [
  { header: "Model", cell: ({ model }) => <code>{model.alias}</code> },
  { header: "Route", isSecondary: true, cell: ({ model }) => model.routeType },
  {
    header: "Dimension",
    cell: ({ model, price }) => (
      <>
        {(model.unitType === "tokens" ? price.dimension : model.unitType).replaceAll("_", " ")}
        {price.aboveInputTokens > 0n && (
          <span className="quiet"> above {formatCount(price.aboveInputTokens)} tokens</span>
        )}
      </>
    ),
  },
  {
    header: "Price",
    align: "right",
    cell: ({ price: { dimension, pricePicoUsd, per } }) => (
      <>
        {formatPico(pricePicoUsd)} <span className="quiet">{perText(per, dimension)}</span>
      </>
    ),
  },
];
