import { type Route, RouteLink, withQuery } from '../state/route.tsx'

type PagerProps = {
  readonly route: Route
  readonly page: number
  readonly pages?: number
  /** Whether there is another page, if the number of pages is unknown. */
  readonly more?: boolean
  /** Whether the pages belong to a part of the view, so that the scroll position stays. */
  readonly stays?: boolean
}

export function Pager({ route, page, pages, more, stays = false }: PagerProps) {
  const last = pages === undefined ? !more : page >= pages
  if (page === 1 && last) return null
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 && (
        <RouteLink stays={stays} href={withQuery(route, { page: page === 2 ? null : String(page - 1) })}>
          ← Previous
        </RouteLink>
      )}
      <span>
        Page {page}
        {pages !== undefined && ` of ${pages}`}
      </span>
      {!last && (
        <RouteLink stays={stays} href={withQuery(route, { page: String(page + 1) })}>
          Next →
        </RouteLink>
      )}
    </nav>
  )
}
