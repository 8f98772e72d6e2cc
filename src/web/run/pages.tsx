import type { CheckType, ShownRun } from '../api/answers.ts'
import { figure } from '../view/figures.ts'

type VisitedPage = { readonly pageUrl: string } & Readonly<Record<string, unknown>>

export function Pages({ run, checkType }: { readonly run: ShownRun; readonly checkType: CheckType }) {
  const pages = (Array.isArray(run.pages) ? run.pages : []) as readonly VisitedPage[]
  const vitals = checkType.metrics.filter(({ perPage }) => perPage)
  if (pages.length === 0) return null
  return (
    <section class="panel" data-panel="pages">
      <header>
        <h2>Pages</h2>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="rows-table" tabIndex={0} aria-label="Pages">
        <table>
          <thead>
            <tr>
              <th scope="col">Page</th>
              {vitals.map(({ name, label }) => (
                <th key={name} scope="col" class="number" title={label}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {pages.map((page, index) => (
              <tr key={index}>
                <td>{page.pageUrl}</td>
                {vitals.map(({ name, unit }) => (
                  <td key={name} class="number">
                    {figure(typeof page[name] === 'number' ? page[name] : null, unit)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}
