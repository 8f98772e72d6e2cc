import type { ComponentChildren } from 'preact'
import { RouteLink } from '../state/route.tsx'

type RunLinkProps = {
  readonly checkId: string
  readonly run: { readonly id: string; readonly startedAt?: string }
  readonly class?: string
  readonly children: ComponentChildren
}

/** Links to a run. The URL includes the start if known, which makes old runs fast to find. */
export function RunLink({ checkId, run: { id, startedAt }, children, ...rest }: RunLinkProps) {
  return (
    <RouteLink {...rest} href={`/checks/${checkId}/runs/${id}${startedAt === undefined ? '' : `?startedAt=${startedAt}`}`}>
      {children}
    </RouteLink>
  )
}
