import { useSearchChange } from "./search-link.tsx";

interface Props {
  /** With their names for people. The first one needs no parameter. */
  orders: Readonly<Record<string, string>>;
  order: string | undefined;
}

/** Chooses the order of a list. */
export function OrderChoice({ orders, order }: Props) {
  const change = useSearchChange();
  const names = Object.entries(orders);
  const first = names[0]?.[0];
  const current = order !== undefined && order in orders ? order : first;
  return (
    <select
      aria-label="Order"
      value={current}
      onChange={({ target }) =>
        change({ order: target.value === first ? undefined : target.value })
      }
    >
      {names.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}
