import { asHttpCheck, type HttpTarget } from '../../../checks/converted.ts'
import { isSecretName } from '../../../checks/probe/redact.ts'
import type { Assertion } from '../../../checks/probe/settings.ts'
import { isMapping } from '../../../collections/mapping.ts'
import { parsedJson } from '../../../text/parsed-json.ts'
import { atLeast, atMost, statusAssertion } from '../assertions-of.ts'
import { plainText } from '../fields.ts'
import type { ConversionOutcome } from '../report.ts'
import { addressText, literalText, mayHoldSecrets } from '../written-text.ts'
import { ipFamily, type MonitorInput, type MonitorOutcome } from './monitor-input.ts'

type Report = (outcome: ConversionOutcome, field: string, why: string) => void

/** Converts monitors of the types http, keyword and json-query. */
export function httpMonitor(input: MonitorInput): MonitorOutcome {
  const { fields, item, draft, isUpsideDown } = input
  const report: Report = (outcome, field, why) => draft.report({ item, field, outcome, why })
  const asserted = [...acceptedCodes(input, report), ...keywordOf(input), ...queryOf(input, report)]
  if (isUpsideDown)
    report(
      'changed',
      'upside_down',
      'It becomes shouldFail: a status of 400 or more passes, and a host that does not respond still fails. Its assertions are left out.',
    )
  const redirects = fields.number('maxredirects') ?? 10
  if (redirects !== 0 && redirects !== 10) report('lost', 'maxredirects', 'The redirect limit is fixed.')
  const family = ipFamily(fields)
  const target: HttpTarget = {
    url: addressText(fields.text('url'), (name, value) => draft.secret(`${item} ${name}`, value)),
    method: fields.text('method') || 'GET',
    ...bodyOf(input),
    ...headersOf(input, report),
    ...(redirects === 0 && { followRedirects: false }),
    ...(fields.flag('ignore_tls') && { skipTls: true }),
    ...(family && { ipFamily: family }),
    assertions: isUpsideDown ? [] : asserted,
  }
  return { check: asHttpCheck({ ...target, ...basicAuthOf(input, report) }, { shouldFail: isUpsideDown }) }
}

function acceptedCodes({ fields }: MonitorInput, report: Report): readonly Assertion[] {
  const codes = parsedJson(fields.text('accepted_statuscodes_json') || '["200-299"]')
  const assertion = Array.isArray(codes) ? statusAssertion(codes) : null
  if (assertion === null) report('lost', 'accepted_statuscodes_json', 'Not a list of status codes and ranges.')
  return assertion === null ? [] : [assertion]
}

function keywordOf({ fields }: MonitorInput): readonly Assertion[] {
  if (fields.text('type') !== 'keyword') return []
  const comparison = fields.flag('invert_keyword') ? 'notContains' : 'contains'
  return [{ source: 'textBody', comparison, target: literalText(fields.text('keyword')) }]
}

const plainPath = /^(?:\$|(?:\$\.)?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[[0-9]{1,6}\])*)$/

/** Kuma's paths are JSONata. Only plain paths, which are valid JSONPath as well, can be converted. */
function queryOf({ fields }: MonitorInput, report: Report): readonly Assertion[] {
  if (fields.text('type') !== 'json-query') return []
  const [path, operator, expected] = [
    fields.text('json_path').trim(),
    fields.text('json_path_operator') || '==',
    fields.text('expected_value'),
  ]
  if (!plainPath.test(path)) {
    report('lost', 'json_path', 'It is a JSONata expression, not a path. Write an assertion on jsonBody by hand.')
    return []
  }
  const property = path.startsWith('$') ? path : `$.${path}`
  const comparison = comparisonOf(operator, expected)
  if (comparison !== null)
    return [
      { source: 'jsonBody', property, ...comparison },
      { source: 'jsonBody', property, comparison: 'notNull' },
    ]
  report('lost', 'json_path_operator', `The comparison ${operator} does not support this value.`)
  return []
}

function comparisonOf(operator: string, expected: string): Pick<Assertion, 'comparison' | 'target'> | null {
  const target = literalText(expected)
  if (operator === '==') return { comparison: 'equals', target }
  if (operator === '!=') return { comparison: 'notEquals', target }
  if (operator === 'contains') return { comparison: 'contains', target }
  const number = expected.trim() === '' ? Number.NaN : Number(expected)
  if (!Number.isFinite(number)) return null
  if (operator === '>') return { comparison: 'greaterThan', target: number }
  if (operator === '<') return { comparison: 'lessThan', target: number }
  if (operator === '>=') return atLeast(number)
  return operator === '<=' ? atMost(number) : null
}

function bodyOf({ fields, item, draft }: MonitorInput): Partial<HttpTarget> {
  const [body, encoding] = [fields.text('body'), fields.text('http_body_encoding')]
  if (body === '') return {}
  const bodyType = encoding === 'form' ? 'form' : encoding === 'xml' ? 'raw' : 'json'
  return { body: mayHoldSecrets(body) ? draft.secret(`${item} body`, body) : literalText(body), bodyType }
}

function headersOf({ fields, item, draft }: MonitorInput, report: Report): Partial<HttpTarget> {
  const given = fields.text('headers')
  const parsed = given === '' ? {} : parsedJson(given)
  if (!isMapping(parsed)) report('lost', 'headers', 'They are not a JSON object.')
  const hidden = (name: string, value: string) =>
    isSecretName(name) || /^cookie$/i.test(name) ? draft.secret(`${item} ${name}`, value) : literalText(value)
  const own = Object.entries(isMapping(parsed) ? parsed : {}).map(([name, value]) => [name, hidden(name, plainText(value))] as const)
  const isXml = fields.text('http_body_encoding') === 'xml' && fields.text('body') !== ''
  const bearer = fields.text('auth_method') === 'bearer' ? fields.text('bearer_token') : ''
  const headers = Object.fromEntries([
    ...(isXml ? [['content-type', 'text/xml; charset=utf-8'] as const] : []),
    ...(bearer === '' ? [] : [['authorization', `Bearer ${draft.secret(`${item} bearer token`, bearer)}`] as const]),
    ...own,
  ])
  return Object.keys(headers).length === 0 ? {} : { headers }
}

/** Settings of unselected authentication methods are leftovers without effect. */
const authentications: Readonly<Record<string, readonly string[]>> = {
  basic: ['basic_auth_user', 'basic_auth_pass'],
  ntlm: ['basic_auth_user', 'basic_auth_pass', 'auth_domain', 'auth_workstation'],
  bearer: ['bearer_token'],
  mtls: ['tls_ca', 'tls_cert', 'tls_key'],
  'oauth2-cc': ['oauth_client_id', 'oauth_client_secret', 'oauth_token_url', 'oauth_scopes', 'oauth_auth_method', 'oauth_audience'],
}

function basicAuthOf({ fields, item, draft }: MonitorInput, report: Report): Partial<HttpTarget> {
  const method = fields.text('auth_method')
  fields.skip(...Object.values(authentications).flat())
  if (method === 'ntlm' || method === 'mtls' || method === 'oauth2-cc')
    report('lost', 'auth_method', `Checks do not support ${method} authentication: the target will see a request without credentials.`)
  if (method !== 'basic') return {}
  const [username, password] = [fields.text('basic_auth_user'), fields.text('basic_auth_pass')]
  return { basicAuth: { username: literalText(username), password: password === '' ? '' : draft.secret(`${item} password`, password) } }
}
