import type { ReactNode } from "react";

export interface DataColumn<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  align?: "right";
  /** Left out where the screen is narrow. */
  isSecondary?: boolean;
}

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
            {columns.map((column) => (
              <td key={column.header} className={classOf(column)} data-label={column.header}>
                <div className="cell">{column.cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {footer && <tfoot>{footer}</tfoot>}
    </table>
  );
}

function classOf<Row>({ align, isSecondary }: DataColumn<Row>): string | undefined {
  const names = [align === "right" && "right", isSecondary && "secondary"].filter(Boolean);
  return names.length === 0 ? undefined : names.join(" ");
}
