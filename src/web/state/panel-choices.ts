import { percentDecoded } from '../../text/percent-decoded.ts'
/*
 * Panel choices are in the URL of a view: `table=main,phases`, and hidden lines as `hidden=main:p99,main:p95`. Labels are escaped, because
 * they may contain anything.
 */

export function isTable(query: URLSearchParams, panel: string): boolean {
  return listIn(query, 'table').includes(panel)
}

/** The query change that toggles a panel between table and chart. */
export function tableChange(query: URLSearchParams, panel: string): Record<string, string | null> {
  return flipped(query, 'table', panel)
}

export function hiddenLines(query: URLSearchParams, panel: string): ReadonlySet<string> {
  const own = listIn(query, 'hidden').filter((entry) => entry.startsWith(`${panel}:`))
  return new Set(own.map((entry) => percentDecoded(entry.slice(panel.length + 1))))
}

/** The query change that hides or shows a line. */
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
