import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi } from "@tanstack/react-router";
import type { CatalogModel } from "@tollgate/proto/tollgate/v1/model";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { countOf } from "../../format/numbers.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Screen } from "../../ui/screen.tsx";
import { useSearchChange } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { CheckCatalog } from "./check-catalog.tsx";
import { SlotPanel } from "./slot-panel.tsx";
import { StoredKeys } from "./stored-keys.tsx";
import "./models.css";

const route = getRouteApi("/app/models");

/** The models of the catalog in use, with their slots, prices and margins. */
export function Models() {
  const { find = "" } = route.useSearch();
  const { canChange } = useAccess();
  const check = useOpen();
  const change = useSearchChange();
  const read = useQuery(OperatorService.method.listModels, {});
  return (
    <Screen
      title="Models and prices"
      actions={canChange && <Button onClick={check.open}>Check a catalog</Button>}
    >
      <div className="filters">
        <input
          type="search"
          aria-label="Find a model"
          placeholder="Find by alias, provider or route"
          className="grow"
          size={32}
          value={find}
          onChange={(event) => change({ find: event.target.value || undefined })}
        />
      </div>
      <Loaded query={read} rows={12}>
        {({ models }) => <List models={models.filter((model) => matches(model, find))} />}
      </Loaded>
      <StoredKeys />
      <CheckCatalog key={check.key} isOpen={check.isOpen} onClose={check.close} />
    </Screen>
  );
}

function List({ models }: { models: readonly CatalogModel[] }) {
  if (models.length === 0) {
    return (
      <Empty icon="models" title="No model matches">
        The catalog file lists the models, their slots and their prices.
      </Empty>
    );
  }
  return (
    <ul className="models">
      {models.map((model) => (
        <li key={model.alias} className="model">
          <div className="model-head">
            <h2>{model.alias}</h2>
            <span className="quiet">{model.routeType}</span>
            {model.isUnlisted && <Badge>unlisted</Badge>}
            <span className="quiet model-count">{countOf(model.slots.length, "slot")}</span>
          </div>
          <ol className="slots">
            {model.slots.map((slot) => (
              <SlotPanel key={slot.state?.slotId} alias={model.alias} slot={slot} />
            ))}
          </ol>
        </li>
      ))}
    </ul>
  );
}

function matches({ alias, routeType, slots }: CatalogModel, find: string): boolean {
  const texts = [alias, routeType, ...slots.flatMap((one) => [one.provider, one.upstreamModel])];
  return texts.some((text) => text.toLowerCase().includes(find.trim().toLowerCase()));
}
