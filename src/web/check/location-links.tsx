import { type Route, RouteLink } from '../state/route.tsx'
import { runsHref } from './runs.tsx'

type LocationLinksProps = {
  readonly names: readonly string[]
  readonly route: Pick<Route, 'path' | 'query'>
  /** Further query changes, in addition to the location. */
  readonly changes?: Readonly<Record<string, string | null>>
}

const mostLinks = 5

/** Links locations to their runs. Of many locations, the others are shown on request. */
export function LocationLinks({ names, ...rest }: LocationLinksProps) {
  const shown = names.length > mostLinks + 1 ? names.slice(0, mostLinks) : names
  const more = names.slice(shown.length)
  return (
    <>
      <Links names={shown} {...rest} />
      {more.length > 0 && (
        <details class="more-locations">
          <summary>and {more.length} more</summary> <Links names={more} {...rest} />
        </details>
      )}
    </>
  )
}

function Links({ names, route, changes = {} }: LocationLinksProps) {
  return names.map((location, index) => (
    <>
      {index > 0 && ', '}
      <RouteLink href={runsHref(route, { ...changes, location })}>{location}</RouteLink>
    </>
  ))
}
