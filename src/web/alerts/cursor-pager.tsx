import { type Route, RouteLink, withQuery } from '../state/route.tsx'

type CursorPagerProps = {
  readonly route: Route
  /** The URL parameter that holds the cursor. */
  readonly param: 'cursor' | 'open'
  /** A name for the listed items. */
  readonly of: string
  readonly next: string | null
}

export function CursorPager({ route, param, of, next }: CursorPagerProps) {
  const isFirst = route.query.get(param) === null
  if (isFirst && next === null) return null
  return (
    <nav class="pager" aria-label={`Pages of ${of}`}>
      {!isFirst && (
        <RouteLink stays href={withQuery(route, { [param]: null })}>
          ← Newest
        </RouteLink>
      )}
      {next !== null && (
        <RouteLink stays href={withQuery(route, { [param]: next })}>
          Older →
        </RouteLink>
      )}
    </nav>
  )
}
