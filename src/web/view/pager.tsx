import { Link, type Place, withQuery } from '../state/place.tsx'

/** Earlier and later pages; without a number of pages, `more` says whether there is another. */
export function Pager({ place, page, pages, more }: { place: Place; page: number; pages?: number; more?: boolean }) {
  const last = pages === undefined ? !more : page >= pages
  if (page === 1 && last) return null
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 && <Link href={withQuery(place, { page: page === 2 ? null : String(page - 1) })}>← Previous</Link>}
      <span>
        Page {page}
        {pages !== undefined && ` of ${pages}`}
      </span>
      {!last && <Link href={withQuery(place, { page: String(page + 1) })}>Next →</Link>}
    </nav>
  )
}
