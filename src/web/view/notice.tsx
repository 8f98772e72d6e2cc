import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { SessionContext } from '../api/use-resource.ts'

type Failed = {
  readonly problem: { readonly message: string; readonly isOffline?: boolean } | null | undefined
  /** Older data that is still shown. */
  readonly data?: unknown
  retry(): void
}

type Layout = {
  readonly children?: ComponentChildren
  /** Whether the notice is the whole view, so that its title is the heading. */
  readonly whole?: boolean
}

export function Notice({ title, children, alert = false, whole = false }: Layout & { title: string; alert?: boolean }) {
  return (
    <div class={alert ? 'notice notice-alert' : 'notice'} role={alert ? 'alert' : 'status'}>
      {whole ? <h1>{title}</h1> : <strong>{title}</strong>}
      {children !== undefined && <p>{children}</p>}
    </div>
  )
}

/** Why loading failed, with a retry button. An unreachable server is reported only once, at the top of the page. */
export function ProblemNotice({ of: { problem, data, retry }, children, whole = false }: Layout & { of: Failed }) {
  const isLost = (useContext(SessionContext)?.lostAt ?? null) !== null
  if (!problem) return null
  if (isLost && problem.isOffline) return <LoadsLater whole={whole} isNeeded={whole || data === undefined} />
  return (
    <Notice alert whole={whole} title={problem.message}>
      {children}{' '}
      <button type="button" class="quiet-button" onClick={retry}>
        Try again
      </button>
    </Notice>
  )
}

function LoadsLater({ whole, isNeeded }: { whole: boolean; isNeeded: boolean }) {
  return isNeeded ? <Notice whole={whole} title="This loads once Tidemark is reachable again." /> : null
}

/** Placeholders while data loads. */
export function Skeleton({ lines = 1, height }: { lines?: number; height?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} style={height === undefined ? {} : { height: `${height}px` }} />
      ))}
    </div>
  )
}
