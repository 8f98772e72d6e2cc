import { dayMs } from '../../time.ts'
import { decimalParam, instant, oneOf } from './params.ts'
import { quorum } from './time-params.ts'

export const sloParams = {
  target: decimalParam({ description: 'Another target, in percent.' }),
  thresholdMs: decimalParam({ description: 'Another threshold of a latency objective.', max: dayMs }),
  by: oneOf({ description: 'Whether an availability objective counts runs or time.', choices: ['runs', 'time'], otherwise: null }),
  from: instant({ description: "Another start of the window; a date is a day of the window's time zone." }),
  to: instant({ description: 'Another end of the window; default: now.' }),
  quorum: quorum(),
  maintenance: oneOf({
    description: 'Whether runs and time in maintenance count.',
    choices: ['exclude', 'include'],
    otherwise: 'exclude',
  }),
}
