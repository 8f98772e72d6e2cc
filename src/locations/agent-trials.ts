import { randomUUID } from 'node:crypto'
import type { Check } from '../catalogue/catalogue.ts'
import type { LocationRef } from '../ids/location-key.ts'
import type { AgentRegistry } from './agent-registry.ts'
import type { KnownAgent } from './location-agents.ts'
import { toAgent } from './protocol.ts'

/** The outcome of a trial at a location; `T` is the answer of its agent. */
type AgentTrial<T> =
  | { readonly answer: T }
  | { readonly busy: true }
  /** No agent of the location has reported to this process, or it has gone. */
  | { readonly noAgent: true }
  /** The versions of the location's agents, none of which supports trials. */
  | { readonly tooOld: readonly string[] }
  | { readonly noAnswer: true }
  | { readonly aborted: true }

/** Definitions that agents run once, without being stored. */
export type AgentTrials<T> = {
  run(place: LocationRef, check: Check, signal: AbortSignal): Promise<AgentTrial<T>>
  /** The check of a trial that waits for the answer of an agent of this location. */
  waiting(place: LocationRef, id: string): Check | undefined
  answer(id: string, answer: T): void
}

/** Per location; agents run their schedule at the same time. */
const concurrentTrials = { light: 5, heavy: 1 }
/** Time in addition to the run, for the agent to receive the trial and for its answer to arrive. */
const marginMs = 15_000

type Waiting<T> = { readonly place: LocationRef; readonly instance: string; readonly check: Check; end(trial: AgentTrial<T>): void }
type Agents = Pick<AgentRegistry, 'agents' | 'giveTrial' | 'onStopped'>

/** `maxRunMs` is an agent's time limit for a trial. */
export function createAgentTrials<T>(agents: Agents, maxRunMs: (check: Check) => number): AgentTrials<T> {
  const waiting = new Map<string, Waiting<T>>()
  agents.onStopped((place) => {
    const live = liveAt(place).map(({ instance }) => instance)
    for (const { instance, end } of waitingAt(place)) if (!live.includes(instance)) end({ noAnswer: true })
  })

  const liveAt = (place: LocationRef) => agents.agents(place).filter(({ state }) => state === 'live')
  const waitingAt = ({ account, location }: LocationRef) =>
    [...waiting.values()].filter(({ place }) => place.account === account && place.location === location)

  function isBusy(place: LocationRef, { checkType }: Check): boolean {
    const alike = waitingAt(place).filter(({ check }) => check.checkType.heavy === checkType.heavy)
    return alike.length >= (checkType.heavy ? concurrentTrials.heavy : concurrentTrials.light)
  }

  /** The agent with the fewest trials. */
  function chosenOf(able: readonly KnownAgent[]): string | undefined {
    const countOf = (instance: string) => [...waiting.values()].filter((each) => each.instance === instance).length
    return able.map(({ instance }) => instance).toSorted((a, b) => countOf(a) - countOf(b))[0]
  }

  return {
    async run(place, check, signal) {
      const live = liveAt(place)
      const instance = chosenOf(live.filter(({ takesTrials }) => takesTrials))
      if (live.length === 0) return { noAgent: true }
      if (instance === undefined) return { tooOld: [...new Set(live.map(({ version }) => version))] }
      if (isBusy(place, check)) return { busy: true }
      if (signal.aborted) return { aborted: true }
      const id = randomUUID()
      const sent = toAgent(check, { since: null, scripts: null, settings: check.settings })
      const takeBack = agents.giveTrial(place, instance, { id, check: sent })
      const ended = new Promise<AgentTrial<T>>((end) => waiting.set(id, { place, instance, check, end }))
      const end = (trial: AgentTrial<T>) => waiting.get(id)?.end(trial)
      const timer = setTimeout(() => end({ noAnswer: true }), maxRunMs(check) + marginMs)
      const abort = () => end({ aborted: true })
      signal.addEventListener('abort', abort)
      return ended.finally(() => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        waiting.delete(id)
        takeBack()
      })
    },
    waiting(place, id) {
      const found = waiting.get(id)
      return found?.place.account === place.account && found.place.location === place.location ? found.check : undefined
    },
    answer: (id, answer) => waiting.get(id)?.end({ answer }),
  }
}
