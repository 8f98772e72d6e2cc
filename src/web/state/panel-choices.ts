import { percentDecoded } from '../../text/percent-decoded.ts'
/*
 * What is chosen for the panels of a view is in its URL: `table=main,phases`, and lines that are hidden, `hidden=main:p99,main:p95`. Labels
 * are escaped, since they may be anything.
 */

export function isTable(query: URLSearchParams, panel: string): boolean {
  return listIn(query, 'table').includes(panel)
}

/** The change to the query that shows a panel as a table, or again as a chart. */
export function tableChange(query: URLSearchParams, panel: string): Record<string, string | null> {
  return flipped(query, 'table', panel)
}

/** The labels of the lines of a panel that are hidden. */
export function hiddenLines(query: URLSearchParams, panel: string): ReadonlySet<string> {
  const own = listIn(query, 'hidden').filter((entry) => entry.startsWith(`${panel}:`))
  return new Set(own.map((entry) => percentDecoded(entry.slice(panel.length + 1))))
}

/** The change to the query that hides a line, or shows it again. */
export function hiddenChange(query: URLSearchParams, panel: string, label: string): Record<string, string | null> {
  return flipped(query, 'hidden', `${panel}:${encodeURIComponent(label)}`)
}

function listIn(query: URLSearchParams, name: string): readonly string[] {
  return (query.get(name) ?? '').split(',').filter((entry) => entry !== '')
}

function flipped(query: URLSearchParams, name: string, entry: string): Record<string, string | null> {
  const before = listIn(query, name)
  const next = before.includes(entry) ? before.filter((each) => each !== entry) : [...before, entry]
  return { [name]: next.join() || null }
}
