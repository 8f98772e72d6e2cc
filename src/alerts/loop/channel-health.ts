import type { ChannelHealth, DeliveryAttempt } from '../outbox/alert-records.ts'

export type ObservedHealth = { readonly before: ChannelHealth | undefined; readonly after: ChannelHealth }

/** Follows the health of channels by the outcomes of attempts, from where an earlier process left it. */
export function createChannelHealth(stored: readonly ChannelHealth[]) {
  const channels = new Map(stored.map((each) => [keyOf(each), each]))
  return {
    /** One that is broken stays so until it takes a message. */
    observe({ account, delivery: { channel }, outcome, answer, at }: DeliveryAttempt): ObservedHealth {
      const key = keyOf({ account, channel })
      const before = channels.get(key)
      const isBroken = outcome === 'broken' || before?.state === 'broken'
      const state = outcome === 'delivered' ? 'ok' : isBroken ? 'broken' : 'failing'
      const since = before?.state === state ? before.since : at
      const after: ChannelHealth = { account, channel, state, since, answer, lastAt: at }
      channels.set(key, after)
      return { before, after }
    },
    of: (account: string): readonly ChannelHealth[] => [...channels.values()].filter((each) => each.account === account),
    broken: (): readonly ChannelHealth[] => [...channels.values()].filter(({ state }) => state === 'broken'),
  }
}

const keyOf = ({ account, channel }: Pick<ChannelHealth, 'account' | 'channel'>) => JSON.stringify([account, channel])
