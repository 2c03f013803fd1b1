import type { ReactNode } from "react";
import { moneyPlaces } from "../format/money.ts";
import { Money } from "./money.tsx";

interface ColumnHead {
  header: string;
  align?: "right";
  /** Left out where the screen is narrow. */
  isSecondary?: boolean;
}

interface CellColumn<Row> extends ColumnHead {
  cell: (row: Row) => ReactNode;
}

/** Amounts, all with the same number of decimals. A row without one has a dash. */
interface MoneyColumn<Row> extends ColumnHead {
  money: (row: Row) => bigint | undefined;
  /** Whether an amount that is added has a plus sign. */
  signed?: boolean;
}

export type DataColumn<Row> = CellColumn<Row> | MoneyColumn<Row>;

interface Props<Row> {
  /** What the table lists, for screen readers. */
  caption: string;
  columns: readonly DataColumn<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  footer?: ReactNode;
}

/** A table. On a narrow screen each row is a card of labelled values, the first one its title. */
export function DataTable<Row>({ caption, columns, rows, idOf, footer }: Props<Row>) {
  const cells = columns.map((column) => cellsOf(column, rows));
  return (
    <table className="data-table">
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.header} scope="col" className={classOf(column)}>
              {column.header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)}>
            {columns.map((column, index) => (
              <td key={column.header} className={classOf(column)} data-label={column.header}>
                <div className="cell">{cells[index]?.(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {footer && <tfoot>{footer}</tfoot>}
    </table>
  );
}

function cellsOf<Row>(column: DataColumn<Row>, rows: readonly Row[]): (row: Row) => ReactNode {
  if ("cell" in column) return column.cell;
  const { money, signed = false } = column;
  const places = moneyPlaces(rows.map((row) => money(row) ?? 0n));
  return (row) => {
    const nano = money(row);
    if (nano === undefined) return <span className="quiet">–</span>;
    return <Money nano={nano} signed={signed} places={places} />;
  };
}

function classOf<Row>(column: DataColumn<Row>): string | undefined {
  const { align, isSecondary } = column;
  const names = [
    (align === "right" || "money" in column) && "right",
    isSecondary && "secondary",
  ].filter(Boolean);
  return names.length === 0 ? undefined : names.join(" ");
}
