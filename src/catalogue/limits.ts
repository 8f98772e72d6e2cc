import { durationMs } from '../checks/duration.ts'
import { isAddressRule } from '../checks/probe/net/addresses.ts'
import type { CheckEntry, ConfigFile } from './config-schema.ts'
import { dayMs } from './definitions.ts'
import { type Finding, must, type Path } from './faults.ts'

const shortestMs = 10_000
const longestMs = 30 * dayMs

/** What is well written in a check but cannot be. */
export function limitFindings({ frequency, retry, timeout }: CheckEntry, path: Path): readonly Finding[] {
  const everyMs = frequency === undefined ? shortestMs : durationMs(frequency)
  return [
    ...(everyMs < shortestMs || everyMs > longestMs ? [must([...path, 'frequency'], 'at least 10s and at most 30d')] : []),
    ...(timeout !== undefined && !isTimeout(durationMs(timeout)) ? [must([...path, 'timeout'], 'at least 1s and at most 1h')] : []),
    ...(retry?.strategy === 'single' && (retry.maxRetries ?? 1) > 1
      ? [must([...path, 'retry', 'maxRetries'], '1 for the strategy single')]
      : []),
  ]
}

const isTimeout = (timeoutMs: number) => timeoutMs >= 1000 && timeoutMs <= 3_600_000

/** What is well written about the service as a whole but cannot be. */
export function serviceFindings({ retention, addresses }: Partial<ConfigFile>): readonly Finding[] {
  const wholeDays = retention === undefined || durationMs(retention) % dayMs === 0
  const blocks = (['allow', 'deny'] as const).flatMap((list) =>
    (addresses?.[list] ?? []).flatMap((block, index) =>
      isAddressRule(block) ? [] : [must(['addresses', list, index], 'an address or CIDR block such as 10.0.0.0/8')],
    ),
  )
  return [...(wholeDays ? [] : [must(['retention'], 'whole days such as 400d')]), ...blocks]
}
