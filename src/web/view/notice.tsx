import type { ComponentChildren } from 'preact'

/** What is wrong or missing, and what to do. */
export function Notice({ title, children, alert = false }: { title: string; children?: ComponentChildren; alert?: boolean }) {
  return (
    <div class={alert ? 'notice notice-alert' : 'notice'} role={alert ? 'alert' : 'status'}>
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
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
