import { durationMs } from '../../checks/duration.ts'
import { isAddressRule } from '../../checks/probe/net/addresses.ts'
import { dayMs, hourMs } from '../../time.ts'
import type { CheckEntry, ConfigFile } from './config-schema.ts'
import { type Finding, must, type Path } from './faults.ts'

const minFrequencyMs = 10_000
const maxFrequencyMs = 30 * dayMs

/** Values of a check that match the schema but are out of range. */
export function limitFindings(check: CheckEntry, path: Path): readonly Finding[] {
  const { frequency, frequencyWhenFailing, retry, timeout, degradedResponseTime = 0, maxResponseTime = Number.POSITIVE_INFINITY } = check
  const everyMs = frequency === undefined ? maxFrequencyMs : durationMs(frequency)
  return [
    ...(everyMs < minFrequencyMs || everyMs > maxFrequencyMs ? [must([...path, 'frequency'], 'at least 10s and at most 30d')] : []),
    ...(frequencyWhenFailing !== undefined && !isWithin(durationMs(frequencyWhenFailing), everyMs)
      ? [
          must(
            [...path, 'frequencyWhenFailing'],
            `at least 10s, and less than the frequency${frequency === undefined ? '' : `, which is ${frequency}`}`,
          ),
        ]
      : []),
    ...(timeout !== undefined && !isTimeout(durationMs(timeout)) ? [must([...path, 'timeout'], 'at least 1s and at most 1h')] : []),
    ...(retry?.strategy === 'single' && (retry.maxRetries ?? 1) > 1
      ? [must([...path, 'retry', 'maxRetries'], '1 for the strategy single')]
      : []),
    ...(degradedResponseTime > maxResponseTime
      ? [must([...path, 'degradedResponseTime'], `at most maxResponseTime, which is ${maxResponseTime}`)]
      : []),
  ]
}

const isWithin = (fastMs: number, everyMs: number) => fastMs >= minFrequencyMs && fastMs < everyMs
const isTimeout = (timeoutMs: number) => timeoutMs >= 1000 && timeoutMs <= hourMs

/** Service-wide values that match the schema but are out of range. */
export function serviceFindings({ publicUrl, retention, evidenceRetention, addresses, accounts }: Partial<ConfigFile>): readonly Finding[] {
  const isWholeDays = (duration: string | undefined) => duration === undefined || durationMs(duration) % dayMs === 0
  const blocks = (['allow', 'deny'] as const).flatMap((list) =>
    (addresses?.[list] ?? []).flatMap((block, index) =>
      isAddressRule(block) ? [] : [must(['addresses', list, index], 'an address or CIDR block such as 10.0.0.0/8')],
    ),
  )
  const pingKeys = (accounts ?? []).flatMap(({ pingKey }, index) =>
    pingKey === undefined || isPingKey.test(pingKey) ? [] : [must(['accounts', index, 'pingKey'], pingKeyWords)],
  )
  return [
    ...(publicUrl === undefined || isBaseUrl(publicUrl) ? [] : [must(['publicUrl'], 'an address such as https://status.example.com')]),
    ...(isWholeDays(retention) ? [] : [must(['retention'], 'whole days such as 400d')]),
    ...(isWholeDays(evidenceRetention) ? [] : [must(['evidenceRetention'], 'whole days such as 30d')]),
    ...blocks,
    ...pingKeys,
  ]
}

/** Not in the schema, which also validates files whose variables are not replaced. */
const isPingKey = /^(sha256:[0-9a-f]{64}|[A-Za-z0-9_-]{16,128})$/
const pingKeyWords = '16 to 128 letters, digits, _ and -, or sha256: and the 64 hex digits of its hash'

/** Whether paths can be appended to it. */
function isBaseUrl(text: string): boolean {
  return /^https?:\/\/[^\s?#@]+$/.test(text) && URL.canParse(text)
}
