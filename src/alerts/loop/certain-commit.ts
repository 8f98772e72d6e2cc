import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from '../../store/store.ts'
import { ThreadLost, ThreadNotStarted } from '../../threads/thread.ts'

const retryMs = 1000

type Options = {
  readonly signal: AbortSignal
  /** Called for the first failure. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Repeats a commit whose thread was lost, until it is known to be written: any other decision in its place would be sent as well. A commit
 * that failed otherwise was not written.
 */
export async function commitForCertain(commit: () => Promise<void>, { signal, onFailure }: Options): Promise<void> {
  for (let mayBeWritten = false; ; ) {
    try {
      return await commit()
    } catch (error) {
      if (signal.aborted || (!mayBeWritten && !isThreadLost(error))) throw error
      if (!mayBeWritten) onFailure(error)
      mayBeWritten = true
      await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }
}

function isThreadLost(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : null
  return cause instanceof ThreadLost && !(cause instanceof ThreadNotStarted)
}
