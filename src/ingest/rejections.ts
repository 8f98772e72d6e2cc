import { fillIn } from '../text/shortened.ts'

const messages = {
  MALFORMED_ROW: 'This row is not a JSON object: {reason}.',
  ROW_TOO_LARGE: 'This row is longer than {limit}.',
  UNKNOWN_CHECK: 'There is no check {checkId} in this account.',
  FORBIDDEN_LOCATION: 'This API key stores results of {location} only.',
  MISSING_PROPERTY: '{name} is required: {expected}.',
  INVALID_PROPERTY: '{name} must be {expected}.',
  UNKNOWN_METRIC: '{name} is no property of a result of {type} checks. Nearest: {nearest}.',
  TOO_MANY_VALUES:
    'Results of this check already have {limit} different values of {name}. Send one of those, or raise limits.{setting} in the config file.',
  START_IN_FUTURE: 'startedAt is more than 10 minutes ahead of the server, whose clock says {now}.',
} as const

type RejectionCode = keyof typeof messages

export type Rejection = { readonly code: RejectionCode; readonly message: string }

export function rejection(code: RejectionCode, values: Readonly<Record<string, string>> = {}): Rejection {
  return { code, message: fillIn(messages[code], values) }
}
