import { Link, type Route, withQuery } from '../state/route.tsx'

/** Earlier and later pages; without a number of pages, `more` says whether there is another. */
export function Pager({ route, page, pages, more }: { route: Route; page: number; pages?: number; more?: boolean }) {
  const last = pages === undefined ? !more : page >= pages
  if (page === 1 && last) return null
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 && <Link href={withQuery(route, { page: page === 2 ? null : String(page - 1) })}>← Previous</Link>}
      <span>
        Page {page}
        {pages !== undefined && ` of ${pages}`}
      </span>
      {!last && <Link href={withQuery(route, { page: String(page + 1) })}>Next →</Link>}
    </nav>
  )
}
