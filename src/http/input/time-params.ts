import type { TimeRequest } from '../../analytics/time-options.ts'
import type { Quorum } from '../../store/timeline/state.ts'
import { optional } from './fields.ts'
import { booleanParam, integer, oneOf, type Param, param, text } from './params.ts'
import { quorumField } from './time-fields.ts'

/** The parameters of availability by time. All but the first are null if absent. */
export const timeParams = {
  availabilityBy: oneOf({
    description: 'Availability by results, or by the time that the check was up, degraded and down.',
    choices: ['runs', 'time'],
    otherwise: 'runs',
  }),
  quorum: quorum(),
  degraded: oneOf({ description: 'Whether degraded time counts as up (default) or as down.', choices: ['up', 'down'], otherwise: null }),
  maintenance: oneOf({
    description: 'Whether time in maintenance is excluded (default), or counts by its states.',
    choices: ['exclude', 'include'],
    otherwise: null,
  }),
  minOutageSeconds: integer({ description: 'Shorter outages count as up.', min: 0, otherwise: null }),
  serviceHours: text({ description: 'The name of service hours in the config file: only time within them counts.' }),
  explain: booleanParam({ description: 'Lists the intervals of the window with their states.', otherwise: null }),
} satisfies { readonly [Name in keyof TimeRequest]: Param<TimeRequest[Name]> }

export function quorum(): Param<Quorum | null> {
  const description = 'How many locations must be down for the check to be down: a number (default 1), or majority of those known.'
  return param(description, optional(quorumField))
}
