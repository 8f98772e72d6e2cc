import type { Family } from '../text/exposition.ts'

/** Every family of checks. Names and labels are an interface: dashboards and alert rules are written for them. */
export const checkFamilies = {
  info: { name: 'tidemark_check', type: 'info', help: 'A check: its name, its type and its tags, each between commas.' },
  tag: { name: 'tidemark_check_tag', type: 'gauge', help: 'One for each tag of a check.' },
  active: { name: 'tidemark_check_active', type: 'gauge', help: 'Whether a check is activated.' },
  muted: { name: 'tidemark_check_muted', type: 'gauge', help: 'Whether a check is muted, so that alerts leave it out.' },
  maintenance: { name: 'tidemark_check_in_maintenance', type: 'gauge', help: 'Whether a check is in a maintenance now.' },
  period: { name: 'tidemark_check_period_seconds', type: 'gauge', unit: 'seconds', help: 'How often a result of a check is expected.' },
  results: { name: 'tidemark_check_results', type: 'counter', help: 'Results of a check at a location, by outcome.' },
  retries: { name: 'tidemark_check_retries', type: 'counter', help: 'Attempts beyond the first of each run.' },
  duration: { name: 'tidemark_check_duration_seconds', type: 'histogram', unit: 'seconds', help: 'How long runs took.' },
  uncounted: {
    name: 'tidemark_check_uncounted',
    type: 'gauge',
    help: 'One for each check whose counters are left out: its stored results are damaged, or not counted yet.',
  },
  up: { name: 'tidemark_check_up', type: 'gauge', help: 'Whether the last result at a location did not fail.' },
  degraded: { name: 'tidemark_check_degraded', type: 'gauge', help: 'Whether the last result at a location was degraded.' },
  lastResult: {
    name: 'tidemark_check_last_result_timestamp_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'When the run of the last result at a location started.',
  },
  lastDuration: {
    name: 'tidemark_check_last_duration_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'How long the run of the last result at a location took.',
  },
  certificate: {
    name: 'tidemark_check_certificate_remaining_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'How long the certificate was valid from the last result on, in whole days.',
  },
} as const satisfies Record<string, Family>
