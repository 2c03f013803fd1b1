import { Link } from "@tanstack/react-router";
import type { CatalogProcess } from "@tollgate/proto/tollgate/v1/catalog";
import { Icon } from "../../ui/icons.tsx";

/** The processes that refuse the newest catalog, and why. Nothing is shown where there are none. */
export function CatalogRefusals({ processes }: { processes: readonly CatalogProcess[] }) {
  return processes.map(({ name, refusal }) => (
    <p key={name} className="notice" role="alert">
      <Icon name="alert" size={16} />
      <span>
        <strong>{name}</strong> refuses the newest <Link to="/catalog">catalog</Link>, so models may
        be listed that it does not serve: {refusal?.reason}
      </span>
    </p>
  ));
}
