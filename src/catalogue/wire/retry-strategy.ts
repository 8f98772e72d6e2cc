import { present, shortDuration } from '../../checks/wire.ts'
import type { WireReader } from '../../checks/wire-reader.ts'
import type { Check } from '../catalogue.ts'
import { retryOf } from '../definitions.ts'

const strategies = { FIXED: 'fixed', LINEAR: 'linear', EXPONENTIAL: 'exponential', SINGLE_RETRY: 'single', NO_RETRIES: 'none' } as const

/** The default of clients, and the only supported value of `maxDurationSeconds`. */
const maxDurationSeconds = 600

/** Undefined for no retries. In a group, null means no retries, and undefined (`FALLBACK`) the strategy of the group. */
export function readRetryStrategy(body: WireReader): Readonly<Record<string, unknown>> | null | undefined {
  const none = body.raw('groupId') ? null : undefined
  const given = body.raw('retryStrategy')
  if (given === null) return none
  if (given === undefined || given === 'FALLBACK') return undefined
  const retry = body.object('retryStrategy')
  const strategy = retry.word('type', strategies)
  if (strategy === undefined && !retry.raw('type')) retry.fault('type', 'type is missing')
  const backoff = retry.number('baseBackoffSeconds') ?? 60
  const maxRetries = retry.number('maxRetries')
  refuseUnknown(retry)
  if (strategy === 'none') return none
  if (!(backoff >= 0 && backoff <= maxDurationSeconds))
    retry.fault('baseBackoffSeconds', `baseBackoffSeconds must be from 0 to ${maxDurationSeconds}`)
  return present<unknown>({
    strategy,
    baseBackoff: backoff === 0 ? '1ms' : shortDuration(Math.round(backoff * 1000)),
    maxRetries: strategy === 'single' ? undefined : maxRetries,
    onlyOnNetworkErrors: isOnlyOnNetworkErrors(retry) || undefined,
  })
}

function refuseUnknown(retry: WireReader): void {
  if (retry.flag('sameRegion') === false) retry.fault('sameRegion', 'sameRegion false is not supported: retries run at the same location')
  const longest = retry.number('maxDurationSeconds') ?? maxDurationSeconds
  if (longest !== maxDurationSeconds)
    retry.fault('maxDurationSeconds', `maxDurationSeconds other than ${maxDurationSeconds} is not supported: maxRetries limits retries`)
}

/** Clients send a word, or a list of words. */
function isOnlyOnNetworkErrors(retry: WireReader): boolean {
  const given = retry.raw('onlyOn') ?? []
  const words = Array.isArray(given) ? given : [given]
  if (words.some((word) => word !== 'NETWORK_ERROR')) retry.fault('onlyOn', 'onlyOn must be NETWORK_ERROR')
  return words.length > 0
}

const words = { fixed: 'FIXED', linear: 'LINEAR', exponential: 'EXPONENTIAL', single: 'SINGLE_RETRY' } as const

/** Like `writeRetryStrategy`, for the `retry` field of a definition. */
export function retryWire(retry: unknown) {
  return retry === undefined || retry === null ? null : writeRetryStrategy({ retry: retryOf(retry as Parameters<typeof retryOf>[0]) })
}

export function writeRetryStrategy({ retry }: Pick<Check, 'retry'>) {
  if (retry === null) return null
  const { strategy, baseBackoffMs, maxRetries, onlyOnNetworkErrors } = retry
  return {
    type: words[strategy],
    baseBackoffSeconds: Math.min(maxDurationSeconds, Math.round(baseBackoffMs / 1000)),
    ...(strategy !== 'single' && { maxRetries, maxDurationSeconds }),
    sameRegion: true,
    onlyOn: onlyOnNetworkErrors ? ['NETWORK_ERROR'] : [],
  }
}
