import type { Rows } from '../share/rows.ts'

const shownRows = 200

/** Rows as they are exported, in a table that scrolls. */
export function RowsTable({ caption, rows: [head = [], ...rows] }: { readonly caption: string; readonly rows: Rows }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="rows-table" tabIndex={0} aria-label={caption}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shownRows).map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={typeof cell === 'number' ? 'number' : ''}>
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
