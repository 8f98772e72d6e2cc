import { asHttpCheck, type ConvertedCheck, type HttpTarget } from '../../../checks/converted.ts'
import { isSecretName } from '../../../checks/probe/redact.ts'
import type { Assertion } from '../../../checks/probe/settings.ts'
import { isMapping } from '../../../collections/mapping.ts'
import { statusAssertion } from '../assertions-of.ts'
import { fieldsOf, type InputFields, plainText } from '../fields.ts'
import type { ConversionOutcome } from '../report.ts'
import { addressText, literalText, mayHoldSecrets } from '../written-text.ts'
import { familyOf, type ProbeInput } from './probe-input.ts'

type Hide = (name: string, value: string) => string
type Report = (outcome: ConversionOutcome, field: string, why: string) => void

export function httpProbe({ target, probe, item, draft }: ProbeInput): ConvertedCheck {
  const hide: Hide = (name, value) => (value === '' ? '' : draft.secret(`${item} ${name}`, value))
  const report: Report = (outcome, field, why) => draft.report({ item, field: `http.${field}`, outcome, why })
  const url = /^https?:\/\//i.test(target) ? target : `http://${target}`
  const body = probe.text('body')
  const headers = headersOf(probe, { hide, report })
  reportEncryption(url, probe, report)
  const isUnfollowed = probe.flag('no_follow_redirects')
  const request: HttpTarget = {
    url: addressText(url, hide),
    method: probe.text('method').toUpperCase() || 'GET',
    ...(body !== '' && { body: mayHoldSecrets(body) ? hide('body', body) : literalText(body), bodyType: 'raw' as const }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...basicAuthOf(probe.inside('basic_auth'), hide),
    ...((probe.take('follow_redirects') === false || isUnfollowed) && { followRedirects: false }),
    ...(probe.inside('tls_config').flag('insecure_skip_verify') && { skipTls: true }),
    ...familyOf(probe),
    assertions: [...statusOf(probe, report), ...bodyAssertions(probe), ...headerAssertions(probe, report)],
  }
  return asHttpCheck(request)
}

function statusOf(probe: InputFields, report: Report): readonly Assertion[] {
  const codes = probe.list('valid_status_codes')
  const assertion = statusAssertion(codes.length === 0 ? ['200-299'] : codes)
  if (assertion === null) report('lost', 'valid_status_codes', 'Not a list of status codes.')
  return assertion === null ? [] : [assertion]
}

function bodyAssertions(probe: InputFields): readonly Assertion[] {
  const patterns = (name: string) => probe.list(name).map((pattern) => literalText(plainText(pattern)))
  return [
    ...patterns('fail_if_body_matches_regexp').map((target): Assertion => ({ source: 'textBody', comparison: 'notMatches', target })),
    ...patterns('fail_if_body_not_matches_regexp').map((target): Assertion => ({ source: 'textBody', comparison: 'matches', target })),
  ]
}

/** A missing header fails both kinds of assertion, unless `allow_missing` is set. */
function headerAssertions(probe: InputFields, report: Report): readonly Assertion[] {
  const specs = (name: string) => probe.list(name).filter(isMapping)
  const about = (spec: Readonly<Record<string, unknown>>) => ({ source: 'headers', property: literalText(plainText(spec.header)) })
  const target = (spec: Readonly<Record<string, unknown>>) => literalText(plainText(spec.regexp))
  return [
    ...specs('fail_if_header_matches').flatMap((spec): readonly Assertion[] => [
      { ...about(spec), comparison: 'notMatches', target: target(spec) },
      ...(spec.allow_missing === true ? [] : [{ ...about(spec), comparison: 'notNull' as const }]),
    ]),
    ...specs('fail_if_header_not_matches').flatMap((spec): readonly Assertion[] => {
      if (spec.allow_missing !== true) return [{ ...about(spec), comparison: 'matches', target: target(spec) }]
      report('lost', `fail_if_header_not_matches: ${plainText(spec.header)}`, 'Assertions on optional headers are not supported.')
      return []
    }),
  ]
}

function headersOf(
  probe: InputFields,
  { hide, report }: { readonly hide: Hide; readonly report: Report },
): Readonly<Record<string, string>> {
  const [simple, rich] = [probe.take('headers'), probe.take('http_headers')]
  const written = (name: string, value: string, isSecret: boolean) =>
    [name, isSecret || isSecretName(name) || /^cookie$/i.test(name) ? hide(name, value) : literalText(value)] as const
  const plain = Object.entries(isMapping(simple) ? simple : {}).map(([name, value]) => written(name, plainText(value), false))
  const others = Object.entries(isMapping(rich) ? rich : {}).flatMap(([name, value]) => {
    const fields = fieldsOf(value)
    const [values, secrets, files] = ['values', 'secrets', 'files'].map((key) => fields.list(key).map(plainText))
    if ((files ?? []).length > 0) report('lost', `http_headers.${name}.files`, 'Files of the exporter are not converted.')
    const last = secrets?.at(-1) ?? values?.at(-1)
    return last === undefined ? [] : [written(name, last, secrets?.length !== 0)]
  })
  return Object.fromEntries([...authorizationOf(probe, { hide, report }), ...plain, ...others])
}

function authorizationOf(
  probe: InputFields,
  { hide, report }: { readonly hide: Hide; readonly report: Report },
): readonly (readonly [string, string])[] {
  const authorization = probe.inside('authorization')
  const [scheme, credentials] = [authorization.text('type') || 'Bearer', authorization.text('credentials')]
  const bearer = credentials || probe.text('bearer_token')
  if (authorization.text('credentials_file') !== '' || probe.text('bearer_token_file') !== '')
    report('lost', 'authorization.credentials_file', 'Files of the exporter are not converted.')
  return bearer === '' ? [] : [['authorization', `${literalText(scheme)} ${hide('credentials', bearer)}`]]
}

function basicAuthOf(fields: InputFields, hide: Hide): Partial<HttpTarget> {
  const [username, password] = [fields.text('username'), fields.text('password')]
  return username === '' ? {} : { basicAuth: { username: literalText(username), password: hide('password', password) } }
}

/** An https address already implies `fail_if_not_ssl`, so no assertion is needed. */
function reportEncryption(url: string, probe: InputFields, report: Report): void {
  const isEncrypted = /^https:/i.test(url)
  if (probe.flag('fail_if_not_ssl') && !isEncrypted) report('lost', 'fail_if_not_ssl', 'Whether a redirect leads to https is not checked.')
  if (probe.flag('fail_if_ssl') && (isEncrypted || probe.take('follow_redirects') !== false))
    report('lost', 'fail_if_ssl', 'Whether a response is encrypted is not checked.')
}
