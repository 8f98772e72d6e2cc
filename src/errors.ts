import { fillIn } from './text/shortened.ts'
import { StacklessError } from './text/stackless-error.ts'

/** Every error of the API: its status and message. */
export const errors = {
  MISSING_KEY: [401, 'Send your API key: Authorization: Bearer <API_KEY>.'],
  UNKNOWN_KEY: [401, 'This API key is not known. Make one with: tidemark key create.'],
  MISSING_ACCOUNT: [401, 'Specify the account: X-Service-Account: <ACCOUNT_ID>.'],
  FORBIDDEN_ACCOUNT: [403, 'This API key does not belong to that account.'],
  MISSING_SCOPE: [403, 'This API key does not have the scope {scope}. Create one with: tidemark key create --scopes {scope}.'],
  AGENT_KEY: [403, 'This API key is for agents at {location}, and only for /v1/agents and POST /v1/check-results.'],
  AGENT_ELSEWHERE: [403, 'This API key is for agents at {location}, not at {asked}.'],
  UNKNOWN_LINK: [401, 'Unknown link: it was revoked, changed or never created. Create one with: tidemark link create.'],
  LINK_ELSEWHERE: [403, 'This link is valid only for its original URL, with exactly the same parameters.'],
  LINK_TO_STREAM: [403, 'A link answers one question, and a stream has no end: open it with a key.'],
  LINK_EXPIRED: [403, 'This link expired at {time}. Create another with: tidemark link create.'],
  ROUTE_NOT_FOUND: [404, 'There is nothing at this address. The API is described at /docs.'],
  CHECK_NOT_FOUND: [404, 'There is no such check in this account.'],
  RESULT_NOT_FOUND: [404, 'There is no such result of this check. Results are kept for a limited time.'],
  SCRIPTS_NOT_FOUND: [404, 'No check at this location has these scripts now. Fetch its checks again.'],
  SLO_NOT_FOUND: [404, 'There is no such SLO in this account.'],
  CHECK_NOT_IN_SLO: [404, 'No SLO {slo} includes this check.'],
  PING_NOT_FOUND: [404, 'No check waits for pings at this address.'],
  PING_SLUG_NOT_FOUND: [404, 'No check of this account that waits for pings has this id; a ping does not create one.'],
  ALERT_NOT_FOUND: [404, 'There is no such alert in this account. Alerts are kept for a limited time.'],
  ALERT_RULE_NOT_FOUND: [404, 'There is no such alert rule in this account. GET /v1/alert-rules lists them.'],
  SILENCE_NOT_FOUND: [404, 'There is no such silence in this account, or it is over.'],
  CHANNEL_NOT_FOUND: [404, 'There is no such channel in this account.'],
  RESOURCE_NOT_FOUND: [404, 'There is no such {noun} in this account.'],
  VERSION_NOT_FOUND: [404, 'There is no such version of this, or it was deleted more than an hour ago.'],
  PROJECT_NOT_FOUND: [404, 'There is no such project in this account.'],
  DEPLOYMENT_NOT_FOUND: [404, 'There is no such deployment of this project. Only the last one is kept.'],
  NO_SNAPSHOTS: [
    404,
    'Snapshots of browser checks are not supported. Delete them from the project, or move the test into a Playwright suite.',
  ],
  BUNDLE_NOT_FOUND: [404, 'This is not the key of a code bundle. Upload it.'],
  TAG_NOT_FOUND: [404, 'No check of this account has the tag {tag}.'],
  WRONG_ENDPOINT: [404, 'This check is of type {type}. Use {endpoint}.'],
  UNKNOWN_CODE: [404, 'This link was already used, or the server was restarted. Sign in with a key and its account.'],
  METHOD_NOT_ALLOWED: [405, '{method} is not allowed here. Allowed: {allowed}.'],
  DEFINED_IN_FILE: [409, 'This check is defined in the config file, at {place}. Change it there, or move it with: tidemark config adopt.'],
  CHECK_EXISTS: [409, 'A managed check with this id already exists. Change it with PUT.'],
  RESOURCE_EXISTS: [409, 'This {noun} already exists. Change it with PUT.'],
  RESOURCE_IN_USE: [409, 'This {noun} is used by {users}. Change that first.'],
  CHECK_FAULTY: [
    409,
    'This managed check is stored, but not run: its definition is no longer valid; see `faults`. Replace it with PUT, or delete it.',
  ],
  CHECK_IN_USE: [409, 'This check is referenced by {users}. Change that first.'],
  DEPLOYMENT_UNDER_WAY: [409, 'A deployment of this project is in progress. Wait until it ends.'],
  DEPLOYMENT_CONFLICT: [409, 'Resources of this project were changed at the same time, several times. Deploy it again.'],
  DEPLOYMENT_NOT_ENDED: [408, 'This deployment is still in progress. Try again.'],
  VERSION_CONFLICT: [412, 'It was changed in the meantime: its version is now {version}. Read it again.'],
  INVALID_ID: [400, 'A check id has 1 to 128 characters from A-Z, a-z, 0-9, _ and -.'],
  UNKNOWN_PARAMETER: [400, '{name} is no parameter of this endpoint. Nearest: {nearest}.'],
  UNKNOWN_PROPERTY: [400, '{name} is no property of this body. Nearest: {nearest}.'],
  REPEATED_PARAMETER: [400, '{name} is given more than once, but takes one value.'],
  MISSING_PARAMETER: [400, '{name} is required: {expected}.'],
  INVALID_PARAMETER: [400, '{name} must be {expected}.'],
  UNKNOWN_METRIC: [400, '{metric} is no metric of {type} checks. Nearest: {nearest}.'],
  METRIC_NOT_SHARED: [400, '{metric} is no metric of these chosen types: {types}. Choose checks by checkTypes, or ask for duration.'],
  UNKNOWN_TIMEZONE: [400, '{name} is no time zone. Nearest: {nearest}.'],
  QUERY_TOO_LARGE: [400, 'This query is too large: {reason}. Choose a shorter window, fewer checks, a longer interval or fewer groups.'],
  INVALID_CURSOR: [400, 'This cursor is not valid for this query. Leave it out to start from the first page.'],
  INVALID_WINDOW: [400, 'from must not be after to.'],
  WINDOW_TOO_LONG: [400, 'The window is longer than {limit}. Use a shorter one.'],
  UNSUPPORTED_PROTOCOL: [400, 'The agent speaks protocol {protocol}, this server {understood}. Upgrade the {older}.'],
  INVALID_BODY: [400, '{reason}'],
  NOT_SUPPORTED: [400, '{what} are not supported here.'],
  INVALID_BUNDLE: [400, 'The code bundle cannot be used: {reason}.'],
  CODE_NOT_ALLOWED: [400, 'Code is accepted only where the config file says allowUploadedCode: true.'],
  INVALID_PROJECT: [400, 'The project is invalid. Nothing was changed.'],
  INVALID_DEFINITION: [400, 'The definition is invalid. Nothing was changed. {faults}'],
  TOO_MANY_CHECKS: [400, 'This account has reached the limit of {limit} managed checks.'],
  DEFINITIONS_TOO_LONG: [
    400,
    'The managed checks of this account would have more than {limit} characters of definitions. Delete some, or shorten them.',
  ],
  TOO_MANY_RESOURCES: [400, 'This account has {limit} of the kind {noun}, and no more are accepted.'],
  RESOURCES_TOO_LONG: [
    400,
    'All of the kind {noun} of this account would have more than {limit} characters. Delete some, or shorten them.',
  ],
  MALFORMED_REQUEST: [400, 'Malformed request: check its URL, headers and body.'],
  HEADERS_TOO_LARGE: [400, 'The headers are too large: the limit is 8,192 bytes each, and 32,768 in total with the URL.'],
  BODY_TOO_LARGE: [413, 'The body is larger than {limit}. Send it in parts.'],
  ADDRESS_TOO_LONG: [414, 'The URL is too long.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send the body as {expected}.'],
  RATE_LIMITED: [429, 'More than {limit} requests in {window}. Try again in {seconds} s.'],
  TOO_MANY_EXPORTS: [429, '{whose} {limit} exports in progress. Wait until one ends.'],
  TOO_MANY_STREAMS: [429, '{limit} streams are open {which}, the maximum. Close one first.'],
  TOO_MANY_AGENTS: [429, '{limit} agents already run at {location}, the maximum. Stop some, or use another location.'],
  TOO_MANY_POLLS: [429, '{limit} agent requests are waiting {which}, the maximum.'],
  TOO_MANY_SILENCES: [429, 'This account has {limit} active or future silences, the maximum. Delete some.'],
  BULK_CHANGE_UNDER_WAY: [429, 'A bulk change of this account is already in progress. Wait until it ends.'],
  TOO_MANY_DEPLOYMENTS: [429, 'Too many deployments and dry runs are in progress. Try again in a few seconds.'],
  TOO_MANY_REPLAYS: [429, '{whose} {limit} replays in progress. Wait until one ends.'],
  TOO_MANY_TRIALS: [429, 'Too many trials are in progress. Try again in a few seconds.'],
  NO_AGENT: [409, 'No agent at {location} has reported to this process, so nothing can be tried there.'],
  AGENT_TOO_OLD: [409, 'The agents at {location} have version {versions}, which cannot try definitions. Update one of them.'],
  AGENT_SILENT: [504, 'The agent at {location} did not respond in time.'],
  AGENT_CANNOT: [409, 'The agent at {location} could not run it: {reason}.'],
  TRIAL_NOT_FOUND: [404, 'This trial has ended.'],
  TRIALS_OFF: [503, 'This process does not run checks. Use one that does.'],
  ALERTS_OFF: [503, 'This process does not send alerts. Use the one that does.'],
  MANAGED_OFF: [503, 'This process does not store managed checks. Use a server.'],
  TOO_MANY_CONNECTIONS: [503, '{limit} connections are open {which}, the maximum. Use keep-alive, or close some.'],
  UNAVAILABLE: [503, 'Temporarily unavailable. Try again in {seconds} s.'],
  INTERNAL: [500, 'Something went wrong on our side. The log has the details under this request id: {requestId}.'],
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof errors

export class ApiError extends StacklessError {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly faults: readonly { readonly pointer: string; readonly message: string }[] | null

  /** Further fields of the answer. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>>,
    faults: ApiError['faults'] = null,
    details: ApiError['details'] = {},
  ) {
    super(message)
    this.faults = faults
    this.details = details
    this.code = code
    this.statusCode = errors[code][0]
    this.headers = headers
  }
}

/** Fills in the placeholders of the message; long values are shortened. */
export function apiError(
  code: ErrorCode,
  values: Readonly<Record<string, string | number>> = {},
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError(code, fillIn(errors[code][1], values), headers)
}
