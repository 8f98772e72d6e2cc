import type { Rows } from '../share/rows.ts'
import { wordsOf } from './words.ts'

type RowsTableProps = { readonly caption: string; readonly rows: Rows; readonly labels: ReadonlyMap<string, string> }

const shownRows = 200

/** The rows of an export in a scrollable table. */
export function RowsTable({ caption, rows: [head = [], ...rows], labels }: RowsTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="rows-table" tabIndex={0} aria-label={caption}>
      <table>
        <thead>
          <tr>
            {head.map((name, column) => (
              <th key={name} scope="col" class={columnClass(rows, column)} title={String(name)}>
                {labels.get(String(name)) ?? wordsOf(String(name))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shownRows).map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={columnClass(rows, column)}>
                  {cell === null ? '' : String(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shownRows && <p class="note">{rows.length - shownRows} more rows are in the CSV.</p>}
    </section>
  )
}

function columnClass(rows: Rows, column: number): string {
  return rows.some((row) => typeof row[column] === 'number') ? 'number' : ''
}
