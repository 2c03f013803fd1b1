import { useSearchChange } from "./search-link.tsx";

interface Props<Order extends string> {
  orders: Readonly<Record<Order, string>>;
  order: Order | undefined;
}

/** Chooses the order of a list. */
export function OrderChoice<Order extends string>({ orders, order }: Props<Order>) {
  const change = useSearchChange();
  const names = Object.entries<string>(orders);
  const first = names[0]?.[0];
  return (
    <select
      aria-label="Order"
      value={order ?? first}
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
