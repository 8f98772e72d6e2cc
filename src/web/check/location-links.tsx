import { type Route, RouteLink } from '../state/route.tsx'
import { runsHref } from './runs.tsx'

type LocationLinksProps = {
  readonly names: readonly string[]
  readonly route: Route
  /** To the query of the view, in addition to the location. */
  readonly changes?: Readonly<Record<string, string | null>>
}

/** Locations, each of which leads to its runs. */
export function LocationLinks({ names, route, changes = {} }: LocationLinksProps) {
  return names.map((location, index) => (
    <>
      {index > 0 && ', '}
      <RouteLink href={runsHref(route, { ...changes, location })}>{location}</RouteLink>
    </>
  ))
}
