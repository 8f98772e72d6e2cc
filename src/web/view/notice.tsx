import type { ComponentChildren } from 'preact'

type Failed = { readonly problem: { readonly message: string } | null | undefined; retry(): void }

type Layout = {
  readonly children?: ComponentChildren
  /** There is nothing else in the view, so that the title is its heading. */
  readonly whole?: boolean
}

/** What is wrong or missing, and what to do. */
export function Notice({ title, children, alert = false, whole = false }: Layout & { title: string; alert?: boolean }) {
  return (
    <div class={alert ? 'notice notice-alert' : 'notice'} role={alert ? 'alert' : 'status'}>
      {whole ? <h1>{title}</h1> : <strong>{title}</strong>}
      {children !== undefined && <p>{children}</p>}
    </div>
  )
}

/** Why something could not be loaded, with a button that tries again. */
export function ProblemNotice({ of: { problem, retry }, children, whole = false }: Layout & { of: Failed }) {
  if (!problem) return null
  return (
    <Notice alert whole={whole} title={problem.message}>
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
