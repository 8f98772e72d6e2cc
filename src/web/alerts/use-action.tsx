import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Api, Problem } from '../api/client.ts'
import { useSession } from '../api/use-resource.ts'

export type Action = {
  readonly isRunning: boolean
  /** Why the last run failed, in words for users. */
  readonly problem: string | null
  /** `then` is for what leads elsewhere: it is not called where the reader has left the view meanwhile. */
  run<T>(act: (api: Api, signal: AbortSignal) => Promise<T>, then?: (result: T) => void): Promise<void>
}

/** State of a button's action. Runs one at a time and reloads the view's data afterwards. */
export function useAction(): Action {
  const { api, refresh } = useSession()
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isShown = useRef(true)
  useLayoutEffect(
    () => () => {
      isShown.current = false
    },
    [],
  )
  return {
    isRunning,
    problem,
    async run(act, then) {
      if (isRunning) return
      setRunning(true)
      setProblem(null)
      try {
        const result = await act(api, new AbortController().signal)
        refresh()
        if (isShown.current) then?.(result)
      } catch (fault) {
        setProblem(fault instanceof Problem ? fault.message : 'Unexpected response. Reload the page.')
      } finally {
        setRunning(false)
      }
    },
  }
}

export function ActionProblem({ of: { problem } }: { readonly of: Action }) {
  return problem === null ? null : (
    <p class="action-problem" role="alert">
      {problem}
    </p>
  )
}
