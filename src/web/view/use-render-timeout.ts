import { useEffect, useState } from 'preact/hooks'

const renderTimeoutMs = 600

/** Whether to render without what has not arrived yet: until then rendering once is quicker, and nothing moves. */
export function useRenderTimeout(timeoutMs = renderTimeoutMs): boolean {
  const [timedOut, setTimedOut] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setTimedOut(true), timeoutMs)
    return () => clearTimeout(timer)
  }, [])
  return timedOut
}
