import { useEffect, useState } from 'preact/hooks'
import { type ApiRequest, Problem } from '../api/client.ts'
import { useSession } from '../api/use-resource.ts'

/** Debounce delay. */
const pauseMs = 700

type Answered<T> = { readonly of: string; readonly data: T | null }

/**
 * Debounced response to a request that changes while the user types. Returns the last response, and whether it belongs to the current
 * request. An error response is null.
 */
export function useAfterPause<T>(request: ApiRequest | null): { readonly data: T | null; readonly isCurrent: boolean } {
  const { api } = useSession()
  const [answer, setAnswer] = useState<Answered<T>>({ of: '', data: null })
  const key = request === null ? '' : JSON.stringify(request)
  useEffect(() => {
    if (request === null) return
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      try {
        setAnswer({ of: key, data: (await api.request<T>(request, abort.signal)).data })
      } catch (fault) {
        if (abort.signal.aborted) return
        if (!(fault instanceof Problem)) throw fault
        setAnswer({ of: key, data: null })
      }
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [key, api])
  return { data: answer.data, isCurrent: key !== '' && answer.of === key }
}
