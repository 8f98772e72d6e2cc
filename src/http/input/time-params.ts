import type { TimeRequest } from '../../analytics/time-options.ts'
import type { Quorum } from '../../store/timeline/state.ts'
import { optional } from './fields.ts'
import { booleanParam, integer, oneOf, type Param, param, text } from './params.ts'
import { quorumField } from './time-fields.ts'

/** The parameters of availability by time. All but the first are null if absent. */
export const timeParams = {
  availabilityBy: oneOf({
    description: 'Availability by results, or by time up, degraded and down.',
    choices: ['runs', 'time'],
    otherwise: 'runs',
  }),
  quorum: quorum(),
  degraded: oneOf({ description: 'Count degraded time as up (default) or as down.', choices: ['up', 'down'], otherwise: null }),
  maintenance: oneOf({
    description: 'Exclude time in maintenance (default), or count it by its states.',
    choices: ['exclude', 'include'],
    otherwise: null,
  }),
  minOutageSeconds: integer({ description: 'Shorter outages count as up.', min: 0, otherwise: null }),
  serviceHours: text({ description: 'Count only time within these service hours of the config file.' }),
  explain: booleanParam({ description: 'Lists the intervals of the window with their states.', otherwise: null }),
} satisfies { readonly [Name in keyof TimeRequest]: Param<TimeRequest[Name]> }

export function quorum(): Param<Quorum | null> {
  const description = 'Number of locations that must be down for the check to be down: a number (default 1), or majority of those known.'
  return param(description, optional(quorumField))
}
