import { useEffect, useState } from 'preact/hooks'

const renderTimeoutMs = 600

/** Whether to render without data that is still missing. Waiting until then allows a single render, which is faster and moves nothing. */
export function useRenderTimeout(timeoutMs = renderTimeoutMs): boolean {
  const [timedOut, setTimedOut] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setTimedOut(true), timeoutMs)
    return () => clearTimeout(timer)
  }, [])
  return timedOut
}
