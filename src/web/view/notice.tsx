import type { ComponentChildren } from 'preact'

type Failed = { readonly problem: { readonly message: string } | null | undefined; retry(): void }

/** What is wrong or missing, and what to do. */
export function Notice({ title, children, alert = false }: { title: string; children?: ComponentChildren; alert?: boolean }) {
  return (
    <div class={alert ? 'notice notice-alert' : 'notice'} role={alert ? 'alert' : 'status'}>
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  )
}

/** Why something could not be loaded, with a button that tries again. */
export function ProblemNotice({ of: { problem, retry }, children }: { of: Failed; children?: ComponentChildren }) {
  if (!problem) return null
  return (
    <Notice alert title={problem.message}>
      {children}{' '}
      <button type="button" class="quiet-button" onClick={retry}>
        Try again
      </button>
    </Notice>
  )
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
