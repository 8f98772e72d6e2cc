import type { Edge } from '../../analytics/resolve-window.ts'
import type { ObjectiveOverride } from '../../analytics/slo/objective.ts'
import type { Quorum } from '../../store/timeline/state.ts'
import { dayMs } from '../../time.ts'
import { decimalParam, instant, oneOf } from './params.ts'
import { quorum } from './time-params.ts'

/** What-if: each replaces a part of the config for one answer. */
export type SloOverrides = ObjectiveOverride & {
  readonly from: Edge | null
  readonly to: Edge | null
  /** Null for one location. */
  readonly quorum: Quorum | null
  readonly maintenance: 'exclude' | 'include'
}

export const asConfigured: SloOverrides = {
  target: null,
  thresholdMs: null,
  by: null,
  from: null,
  to: null,
  quorum: null,
  maintenance: 'exclude',
}

export const sloParams = {
  target: decimalParam({ description: 'Another target, in percent.' }),
  thresholdMs: decimalParam({ description: 'Another threshold of a latency objective.', max: dayMs }),
  by: oneOf({ description: 'What an availability objective counts.', choices: ['runs', 'time'], otherwise: null }),
  from: instant({ description: "Another start of the window; a date is a day of the window's time zone." }),
  to: instant({ description: 'Another end of the window; without it, now.' }),
  quorum: quorum(),
  maintenance: oneOf({
    description: 'Whether runs and time in maintenance count.',
    choices: ['exclude', 'include'],
    otherwise: 'exclude',
  }),
}
