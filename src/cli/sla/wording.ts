import { durationInWords, periodText, pluralOf } from './figures.ts'
import type { Sheet, SheetPolicy, SheetWindow } from './sheet-schema.ts'

export function titleText({ account, selection: { tags, checks }, window }: Sheet): string {
  const subject = tags.length > 0 ? tags.join(', ') : checks.length > 0 ? checks.join(', ') : account
  return `${subject}, ${periodText(window)}`
}

/** Describes the rule that selected the checks. */
export function selectionText({ tags, checks }: Sheet['selection']): string {
  const parts = [
    ...(tags.length > 0 ? [`tagged ${tags.join(' or ')}`] : []),
    ...(checks.length > 0 ? [`with the ${checks.length === 1 ? 'id' : 'ids'} ${checks.join(', ')}`] : []),
  ]
  return parts.length > 0 ? `the checks ${parts.join(' and ')}` : 'all checks of the account'
}

/** The policy as sentences, each with its subject. */
export function policyWords(policy: SheetPolicy): readonly (readonly [subject: string, words: string])[] {
  return [
    ['Quorum', quorumWords(policy.quorum)],
    ['Degraded', `Time in which a check is degraded counts as ${policy.degraded === 'down' ? 'down' : 'available'}.`],
    [
      'Maintenance',
      policy.maintenance === 'include'
        ? 'Time in maintenance counts like any other time, by the state of the check.'
        : 'Time in announced maintenance is in neither part of the availability by time. Runs in it do count in the availability by runs.',
    ],
    [
      'Short outages',
      policy.minOutageSeconds === 0
        ? 'Every outage counts, however short.'
        : `An outage shorter than ${durationInWords(policy.minOutageSeconds)} counts as available time and is not listed.`,
    ],
    [
      'Service hours',
      policy.serviceHours === null
        ? 'All hours of all days count.'
        : `Only time within the service hours “${policy.serviceHours}” counts by time. Runs and outages outside of them are still counted and listed.`,
    ],
  ]
}

export function zoneWords({ timezone, partial, to }: SheetWindow): string {
  const cut = partial ? ` The period had not ended when this sheet was made: it is cut at ${to}.` : ''
  return `The period and all local times are in the time zone ${timezone}.${cut}`
}

/** Definitions of the terms behind the figures. */
export const method: readonly (readonly [term: string, definition: string])[] = [
  [
    'Result',
    'The final outcome of one run of a check at one location. Retried attempts are no results of their own. A degraded result is a success.',
  ],
  ['Availability by runs', 'successful results ÷ all results × 100, over the results that started in the period.'],
  [
    'State',
    'A result holds from its start until the next result of the same check and location, but no longer than 1.5 times the time between runs there (a heartbeat: its period and grace). After that the location is unknown. The check is down if at least the quorum of its known locations are down, else degraded if any is degraded or down, else up; unknown if no location is known.',
  ],
  [
    'Availability by time',
    '(up + degraded) ÷ (up + degraded + down) × 100, in seconds. Unknown time and excluded maintenance are in neither part. If the policy counts degraded as down, degraded time is only in the divisor.',
  ],
  [
    'Outage',
    'A longest interval in which a check is down. Each outage that touches the period is listed whole. Its reason is the error that its failing results have most often. Down time in the figures is only that within the period.',
  ],
  ['Total', 'All checks pooled: their results, and their seconds, are added before the division. It is not a mean of percentages.'],
  [
    'Rounding',
    'Percentages are rounded down to three decimals, durations to the nearest second. The data of this file hold every figure unrounded.',
  ],
]

/** The command that reproduces the hash of a check. */
export function recipe({ from, to }: SheetWindow): string {
  return `tidemark export --check ID --from ${from} --to ${to} --format ndjson | sha256sum`
}

export const evidenceWords =
  'Each hash is the SHA-256 of the results of a check that started in the period, exported as NDJSON: oldest first, one JSON object per line, each line ended by a line feed, UTF-8, nothing before or after. The availability by runs follows from these results alone. The availability by time also uses the last results before the period, as long as they hold, and outages are listed beyond its ends; “tidemark sla verify” recomputes those as well. To repeat a hash, export the results of the check with its id in place of ID:'

export function outageCount(count: number): string {
  return count === 0 ? 'no outages' : pluralOf(count, 'outage')
}

function quorumWords(quorum: string): string {
  if (quorum === 'majority') return 'A check is down while more than half of its known locations are down.'
  if (quorum === '1') return 'A check is down while at least one of its locations is down.'
  return `A check is down while at least ${quorum} of its locations are down.`
}
