import { useEffect, useState } from 'preact/hooks'

const stepMs = 10_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** The current time, updated every few seconds. All users share one timer. */
export function useNow(): number {
  const [, setStep] = useState(0)
  useEffect(() => {
    const step = () => setStep((before) => before + 1)
    listeners.add(step)
    timer ??= setInterval(() => {
      for (const listener of listeners) listener()
    }, stepMs)
    return () => {
      listeners.delete(step)
      if (listeners.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }, [])
  return Date.now()
}
