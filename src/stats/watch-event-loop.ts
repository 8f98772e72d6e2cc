import type { Histogram } from './instruments.ts'

const intervalMs = 100

/** Observes how late the event loop calls a timer; returns a function that stops it. */
export function watchEventLoop(delay: Histogram): () => void {
  let due = performance.now() + intervalMs
  const timer = setInterval(() => {
    const now = performance.now()
    delay.observe(Math.max(0, now - due) / 1000)
    due = now + intervalMs
  }, intervalMs).unref()
  return () => clearInterval(timer)
}
