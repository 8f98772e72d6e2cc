import type { ComponentChildren } from 'preact'
import { RouteLink } from '../state/route.tsx'

type RunLinkProps = {
  readonly checkId: string
  readonly run: { readonly id: string; readonly startedAt?: string }
  readonly class?: string
  readonly children: ComponentChildren
}

/** Leads to a run. Its start, where it is known, is in the URL so that an old run is found at once. */
export function RunLink({ checkId, run: { id, startedAt }, children, ...rest }: RunLinkProps) {
  return (
    <RouteLink {...rest} href={`/checks/${checkId}/runs/${id}${startedAt === undefined ? '' : `?startedAt=${startedAt}`}`}>
      {children}
    </RouteLink>
  )
}
