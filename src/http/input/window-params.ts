import { quickRanges } from '../../analytics/resolve-window.ts'
import { instant, integer, oneOf, timezone } from './params.ts'

/** Shared by all endpoints with a time window. */
export const windowParams = {
  quickRange: oneOf({
    description: 'A window by name, in the time zone; weeks start on Monday.',
    choices: quickRanges,
    otherwise: 'last24Hours',
  }),
  from: instant({ description: 'The first instant of the window; overrides quickRange.' }),
  to: instant({ description: 'The last instant of the window; overrides quickRange.' }),
  timezone: timezone(),
}

export const pageParams = {
  limit: integer({ description: 'Maximum number of rows.', min: 1, max: 100, otherwise: 10 }),
  page: integer({ description: 'Page number, from 1.', min: 1, otherwise: 1 }),
}
