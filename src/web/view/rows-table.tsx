import type { Unit } from '../api/answers.ts'
import type { TableCell, TableRows } from '../share/rows.ts'
import { figure } from './figures.ts'
import { instantText, sharedZoneText, zoneText } from './time.tsx'
import { wordsOf } from './words.ts'

/** The label and unit of a column. */
export type ColumnFormat = { readonly label: string; readonly unit: Unit }

type RowsTableProps = { readonly caption: string; readonly rows: TableRows; readonly formats: ReadonlyMap<string, ColumnFormat> }

const shownRows = 200

/** The rows of an export in human-readable form, in a scrollable table. Hovering shows exact values. */
export function RowsTable({ caption, rows: [head = [], ...rows], formats }: RowsTableProps) {
  const shown = rows.slice(0, shownRows)
  const hasOneZone = sharedZoneText(instantsOf(shown)) !== null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="rows-table" tabIndex={0} aria-label={caption}>
      <table>
        <thead>
          <tr>
            {head.map((name, column) => (
              <th key={name} scope="col" class={columnClass(rows, column)} title={String(name)}>
                {formats.get(String(name))?.label ?? wordsOf(String(name))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={columnClass(rows, column)} title={cell === null ? '' : String(cell)}>
                  {cellText(cell, formats.get(String(head[column]))?.unit, hasOneZone)}
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

const isoInstant = /^\d{4}-\d\d-\d\dT/

/** If clocks change between the rows, each instant names its zone. */
function cellText(cell: TableCell, unit: Unit = 'count', hasOneZone = true): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return figure(cell, unit)
  if (typeof cell !== 'string' || !isoInstant.test(cell)) return String(cell)
  return hasOneZone ? instantText(Date.parse(cell)) : `${instantText(Date.parse(cell))} ${zoneText(Date.parse(cell))}`
}

/** Every time in a table, in epoch milliseconds. */
export function instantsOf(rows: TableRows): readonly number[] {
  return rows.flat().flatMap((cell) => (typeof cell === 'string' && isoInstant.test(cell) ? [Date.parse(cell)] : []))
}

function columnClass(rows: TableRows, column: number): string {
  return rows.some((row) => typeof row[column] === 'number') ? 'number' : ''
}
