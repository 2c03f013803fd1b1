import { useQuery } from "@connectrpc/connect-query";
import type { CatalogPrice, ModelPrices } from "@tollgate/proto/tollgate/v1/model";
import { type Account, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { formatPico } from "../../format/money.ts";
import { formatCount, perText } from "../../format/numbers.ts";
import type { ListSearch } from "../../search/list-search.ts";
import { byText, type WholeListRules } from "../../search/whole-list.ts";
import type { DataColumn } from "../../ui/data-table.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { WholeList } from "../../ui/whole-list.tsx";

interface Props {
  account: Account;
  search: ListSearch<string>;
}

/** The prices that an account pays. */
export function AccountPrices({ account, search }: Props) {
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
            <WholeList
              caption={plan === "" ? "List prices" : `Prices of the plan ${plan}`}
              columns={columns}
              rows={models.flatMap((model) => model.prices.map((price) => ({ model, price })))}
              search={search}
              searchLabel="Search by model, route or dimension"
              icon="models"
              {...rules}
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

const rules: WholeListRules<Row> = {
  idOf: ({ model, price }) => `${model.alias} ${price.dimension} ${price.aboveInputTokens}`,
  textsOf: ({ model, price }) => [model.alias, model.routeType, price.dimension],
  orders: { model: { name: "By model", compare: byText(({ model }) => model.alias) } },
};

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
