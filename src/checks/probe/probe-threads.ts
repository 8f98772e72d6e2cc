import { type LostThread, openThread } from '../../threads/thread.ts'
import type { Metrics } from '../metric.ts'
import { exhaustedRun, type Probe, type ProbeContext } from './probe.ts'
import type { ProbeMessage, SentAttempt } from './probe-thread.ts'
import type { Measured } from './run.ts'

type ProbeThreads = { readonly probe: Probe; close(): Promise<void> }

type ProbeThreadsOptions = {
  /** Called when a probe thread or a judge thread had to be replaced. */
  readonly onLost?: (kind: 'probe' | 'judge', lost: Pick<LostThread, 'message'>) => void
  readonly module?: URL
  /** Time after a run's timeout by which the run must have ended. */
  readonly graceMs?: number
}

const maxHeapMb = 512
const threadModule = new URL(`./${'probe'}-thread.js`, import.meta.url)

/**
 * Runs checks outside of the main thread, so that nothing a target sends can block the server: light types in one thread, heavy types in
 * another. A thread starts with its first run. If it dies, its runs fail and a new thread starts. A run that does not end after its timeout
 * also has the thread replaced; the other runs continue if the old thread still responds.
 */
export function openProbeThreads(context: ProbeContext, options: ProbeThreadsOptions = {}): ProbeThreads {
  const light = openOne(context, options)
  const heavy = openOne(context, options)
  return {
    probe: (attempt) => (attempt.checkType.heavy ? heavy : light).probe(attempt),
    async close() {
      await Promise.all([light.close(), heavy.close()])
    },
  }
}

function openOne({ configDir, chromium, env }: ProbeContext, options: ProbeThreadsOptions): ProbeThreads {
  const { module = threadModule, graceMs = 10_000, onLost = () => {} } = options
  const thread = openThread({
    kind: 'probe',
    module,
    data: { configDir, chromium, env: { ...env } },
    isShared: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    describe: (_, [sent]) => `a run of ${(sent as SentAttempt).key}`,
    onMessage: (message) => onLost('judge', { message: (message as ProbeMessage).judgeLost }),
    onLost: (lost) => onLost('probe', lost),
  })
  return {
    async probe({ checkType, signal, ...attempt }) {
      const timeLimitMs = attempt.timeoutMs + graceMs
      const sent = { ...attempt, type: checkType.type } satisfies SentAttempt
      const measured = thread.call('run', [sent], { timeLimitMs, signal }) as Promise<Measured<Metrics>>
      return measured.catch((error: unknown) => exhaustedRun(checkType, error))
    },
    close: thread.destroy,
  }
}
