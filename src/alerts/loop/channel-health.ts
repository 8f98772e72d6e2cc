import type { Attempt } from '../outbox/alert-database.ts'

/** Whether a channel takes messages: `failing` is tried again, `broken` will not work until somebody mends it. */
export type ChannelHealth = {
  readonly account: string
  readonly channel: string
  readonly state: 'ok' | 'failing' | 'broken'
  readonly since: number
  /** Of the last attempt, without secrets. */
  readonly answer: string
  readonly lastAt: number
}

export type HealthChange = { readonly before: ChannelHealth | undefined; readonly after: ChannelHealth }

/** Follows the health of channels by the outcomes of attempts. */
export function createChannelHealth() {
  const channels = new Map<string, ChannelHealth>()
  return {
    /** Returns what changed; null where the channel is what it was. */
    observe({ account, delivery: { channel }, outcome, answer, at }: Attempt): HealthChange | null {
      const key = JSON.stringify([account, channel])
      const before = channels.get(key)
      const state = outcome === 'delivered' ? 'ok' : outcome === 'broken' ? 'broken' : 'failing'
      const isSame = before?.state === state
      const after: ChannelHealth = { account, channel, state, since: isSame ? before.since : at, answer, lastAt: at }
      channels.set(key, after)
      return isSame ? null : { before, after }
    },
    of: (account: string): readonly ChannelHealth[] => [...channels.values()].filter((each) => each.account === account),
    all: (): readonly ChannelHealth[] => [...channels.values()],
    broken: (): readonly ChannelHealth[] => [...channels.values()].filter(({ state }) => state === 'broken'),
  }
}
