import type { FastifyBaseLogger } from 'fastify'
import { type Check, refOf, uniqueName } from '../../catalogue/catalogue.ts'
import { type CheckState, checkState } from '../../store/state.ts'
import type { Store } from '../../store/store.ts'
import { minuteMs } from '../../time.ts'
import type { Clock } from '../route.ts'

/** What badges tell, kept for when the store is away, and so that it is seldom asked. */
type BadgeMemory = {
  /** The states of checks, or the last known ones if the store cannot say. */
  states(checks: readonly Check[]): Promise<readonly CheckState[]>
  /** A figure of a check, asked for once a minute at most; the last known one if the store cannot say or takes too long. */
  figure(check: Check, name: string, ask: () => Promise<number | null>): Promise<number | null>
}

type Needs = {
  readonly store: Pick<Store, 'latest'>
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  /** How long a figure is waited for. */
  readonly patienceMs?: number
}
type Figure = { readonly value: number | null; readonly askedAt: number; readonly asking: Promise<number | null> | null }

const freshMs = minuteMs
const mostFigures = 20_000

export function createBadgeCache({ store, clock, log, patienceMs = 3_000 }: Needs): BadgeMemory {
  const states = new Map<string, CheckState>()
  const figures = new Map<string, Figure>()
  let isAway = false

  const ask = (key: string, last: number | null, question: () => Promise<number | null>): Promise<number | null> => {
    const askedAt = clock.now()
    const asking = question()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'a badge shows its last known figure')
        return last
      })
      .then((value) => {
        keep(figures, mostFigures, key, { value, askedAt, asking: null })
        return value
      })
    keep(figures, mostFigures, key, { value: last, askedAt, asking })
    return asking
  }

  return {
    states: async (checks) => {
      try {
        const latest = await store.latest(checks.map(refOf))
        isAway = false
        return checks.map((check, i) => {
          const state = checkState(check, latest[i], clock.now())
          if (states.get(uniqueName(check)) !== state) keep(states, mostFigures, uniqueName(check), state)
          return state
        })
      } catch (error) {
        if (!isAway) log.warn({ err: error }, 'badges show their last known states')
        isAway = true
        return checks.map((check) => (check.activated ? (states.get(uniqueName(check)) ?? 'unknown') : 'paused'))
      }
    },
    figure: (check, name, question) => {
      const key = `${uniqueName(check)} ${name}`
      const known = figures.get(key)
      const isFresh = known !== undefined && clock.now() - known.askedAt < freshMs
      if (isFresh && !known.asking) return Promise.resolve(known.value)
      const last = known?.value ?? null
      return within(patienceMs, (isFresh && known.asking) || ask(key, last, question), last)
    },
  }
}

/** Keeps the newest entries. */
function keep<T>(entries: Map<string, T>, most: number, key: string, value: T): void {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= most) return
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return
  }
}

/** What is promised, or `otherwise` if that takes longer than this. */
function within<T>(ms: number, promised: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise), ms)
    promised.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
