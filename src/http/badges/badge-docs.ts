import { accountParams, checkParams, lookParams } from '../input/badge-params.ts'
import { idSchema } from '../input/find-check.ts'
import type { Content, Doc } from '../route.ts'

const group = 'Badges'
const publicly = 'Requires no key if the account has public badges.'

const headers = {
  ETag: 'Changes with the badge.',
  'Cache-Control': 'max-age=60, s-maxage=60, stale-if-error=86400; private instead of s-maxage unless the account has public badges.',
}

const image: Content = {
  description: 'The badge. Its type is application/json if Accept requests it and not images.',
  mediaType: 'image/svg+xml',
  otherTypes: ['application/json'],
  schema: { type: 'string' },
  headers,
}

const endpoint: Content = {
  description: 'The badge data for shields.io.',
  schema: {
    type: 'object',
    required: ['schemaVersion', 'label', 'message', 'color'],
    properties: {
      schemaVersion: { type: 'integer', const: 1 },
      label: { type: 'string' },
      message: { type: 'string' },
      color: { type: 'string' },
      style: { type: 'string' },
    },
  },
  example: { schemaVersion: 1, label: 'Homepage', message: 'passing', color: '#1a7f3e' },
  headers,
}

export const badgeDoc: Doc = {
  group,
  summary: 'The badge of a check',
  description: `The state of the check, or one of its metrics, as an image for a README. ${publicly}`,
  path: { id: idSchema },
  query: { ...checkParams, ...accountParams },
  answer: image,
  errors: ['INVALID_ID', 'UNKNOWN_METRIC', 'UNKNOWN_TIMEZONE', 'CHECK_NOT_FOUND', 'CHECK_NOT_IN_SLO'],
}

export const shieldsDoc: Doc = {
  group,
  summary: 'The badge of a check for shields.io',
  description: `The same badge in the shields.io endpoint format, with all options of shields.io. ${publicly}`,
  path: { id: idSchema },
  query: { ...checkParams, ...accountParams },
  answer: endpoint,
  errors: ['INVALID_ID', 'UNKNOWN_METRIC', 'UNKNOWN_TIMEZONE', 'CHECK_NOT_FOUND', 'CHECK_NOT_IN_SLO'],
}

export const tagBadgeDoc: Doc = {
  group,
  summary: 'The badge of all checks with a tag',
  description: `How many checks pass, coloured by the worst; paused checks are not counted. ${publicly}`,
  path: { tag: { type: 'string', description: 'A tag of at least one check.' } },
  query: { ...lookParams, ...accountParams },
  answer: image,
  errors: ['TAG_NOT_FOUND'],
}

export const tagShieldsDoc: Doc = {
  ...tagBadgeDoc,
  summary: 'The badge of all checks with a tag for shields.io',
  description: `The same badge in the shields.io endpoint format. ${publicly}`,
  answer: endpoint,
}
