import type { ComponentChildren } from 'preact'
import { RouteLink } from '../state/route.tsx'

type RunLinkProps = {
  readonly checkId: string
  readonly run: { readonly id: string; readonly startedAt: string }
  readonly class?: string
  readonly children: ComponentChildren
}

/** Leads to a run. Its start is in the URL so that an old run is found at once. */
export function RunLink({ checkId, run, children, ...rest }: RunLinkProps) {
  return (
    <RouteLink {...rest} href={`/checks/${checkId}/runs/${run.id}?startedAt=${run.startedAt}`}>
      {children}
    </RouteLink>
  )
}
