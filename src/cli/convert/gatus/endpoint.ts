import { asEchoCheck, asHttpCheck, asNameCheck, asPortCheck, type ConvertedCheck, type HttpTarget } from '../../../checks/converted.ts'
import { isSecretName } from '../../../checks/probe/redact.ts'
import type { Assertion } from '../../../checks/probe/settings.ts'
import { isMapping } from '../../../collections/mapping.ts'
import type { ConversionDraft } from '../draft.ts'
import { frequencyOf, parseDuration, timeoutTextOf } from '../durations.ts'
import { fieldsOf, type InputFields, plainText, unreadLines } from '../fields.ts'
import { addressText, literalText, mayHoldSecrets } from '../written-text.ts'
import type { GatusAlerts } from './alerts.ts'
import { convertCondition, type EndpointKind } from './condition.ts'
import { addGatusMaintenance } from './maintenance.ts'
import type { GatusTexts } from './variables.ts'

export type GatusWorld = {
  readonly draft: ConversionDraft
  readonly texts: GatusTexts
  readonly alerts: GatusAlerts
  /** Tokens of external endpoints, to detect tokens that several endpoints share. */
  readonly tokens: Set<string>
}

const defaults = { enabled: true, method: 'GET', client: { timeout: '10s', network: 'ip' } }

const reasons: Readonly<Record<string, string>> = {
  ui: 'What the page shows is not configurable per check.',
  ssh: 'SSH checks are not supported.',
  store: 'Only suites store values.',
  'always-run': 'Only suites have an order.',
  'client.proxy-url': 'Checks do not support proxies.',
  'client.oauth2': 'Checks do not support OAuth: the target will see a request without credentials.',
  'client.tls': 'Client certificates are not supported.',
  'client.dns-resolver': 'The system resolves names.',
  'client.tunnel': 'SSH tunnels are not supported.',
  'client.identity-aware-proxy': 'Checks do not support OAuth.',
}

export function oneEndpoint(value: unknown, world: GatusWorld): void {
  const { draft, texts } = world
  const fields = fieldsOf(value, defaults)
  const text = (name: string) => texts.resolve(fields.text(name))
  const [name, group, url] = [text('name') || 'unnamed', text('group'), text('url')]
  const item = group === '' ? name : `${group}/${name}`
  const kind = kindOf(url, fields)
  if (typeof kind !== 'string') {
    draft.leftOut(item, kind.leftOut)
    return
  }
  const client = fields.inside('client')
  const conditions = conditionsOf(fields, { kind, item, world })
  const check = checkOf({ kind, fields, client, item, world, conditions })
  const common = commonOf(fields, client, { item, world, conditions })
  const labels = isMapping(fields.take('extra-labels')) ? Object.entries(fields.take('extra-labels') as object) : []
  const id = draft.addCheck({
    item,
    name,
    group: group === '' ? null : draft.groupOf(group),
    tags: labels.map(([label, one]) => `${label}=${texts.resolve(plainText(one))}`),
    settings: { ...check, ...common },
  })
  const [alerts, windows] = [fields.list('alerts'), fields.list('maintenance-windows')]
  if (id === null) return
  draft.setAlerts(id, world.alerts.rulesOf(alerts, { item, group }))
  for (const window of windows) addGatusMaintenance(`maintenance of ${item}`, window, world, [id])
  draft.report(...unreadLines(fields, item, reasons))
}

const schemes: Readonly<Record<string, EndpointKind>> = { http: 'http', https: 'http', tcp: 'tcp', icmp: 'icmp' }
const instead = new Map([
  ['tls', ' A URL check verifies the certificate of an HTTPS server.'],
  ['ssh', ' A TCP check would notice that nothing listens there.'],
  ['starttls', ' A TCP check would notice that nothing listens there.'],
])

function kindOf(url: string, fields: InputFields): EndpointKind | { readonly leftOut: string } {
  const scheme = /^([a-z]+):\/\//i.exec(url)?.[1]?.toLowerCase()
  if (isMapping(fields.take('dns'))) return 'dns'
  if (scheme === undefined) return { leftOut: 'Its address has no scheme.' }
  return (
    (Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined) ?? {
      leftOut: `${scheme}:// checks are not supported.${instead.get(scheme) ?? ''}`,
    }
  )
}

type Conditions = { readonly assertions: readonly Assertion[]; readonly maxResponseTimeMs: number | null; readonly shouldFail: boolean }

function conditionsOf(
  fields: InputFields,
  { kind, item, world }: { readonly kind: EndpointKind; readonly item: string; readonly world: GatusWorld },
): Conditions {
  const found = fields.list('conditions').map((value) => {
    const condition = plainText(value)
    const outcome = convertCondition(condition, kind, world.texts.write)
    const report = (kindOfLine: 'lost' | 'changed', why: string) =>
      world.draft.report({ item, field: `conditions: ${condition.slice(0, 300)}`, outcome: kindOfLine, why })
    if ('lost' in outcome) report('lost', outcome.lost)
    if ('note' in outcome && outcome.note !== undefined) report('changed', outcome.note)
    return outcome
  })
  const limits = found.flatMap((outcome) => ('maxResponseTimeMs' in outcome ? [outcome.maxResponseTimeMs] : []))
  return {
    assertions: found.flatMap((outcome) => ('assertion' in outcome ? [outcome.assertion] : [])),
    maxResponseTimeMs: limits.length === 0 ? null : Math.min(86_400_000, ...limits),
    shouldFail: found.some((outcome) => 'shouldFail' in outcome),
  }
}

type EndpointParts = {
  readonly kind: EndpointKind
  readonly fields: InputFields
  readonly client: InputFields
  readonly item: string
  readonly world: GatusWorld
  readonly conditions: Conditions
}

function checkOf(given: EndpointParts): ConvertedCheck {
  const { kind, fields, client, world, conditions } = given
  const { assertions, shouldFail } = conditions
  const url = world.texts.resolve(fields.text('url'))
  const { hostname, port } = hostAndPort(url)
  if (kind === 'http') return httpCheckOf(given)
  if (kind === 'icmp') {
    const network = client.text('network')
    return asEchoCheck({ hostname, ...(network === 'ip4' && { ipFamily: 'IPv4' }), ...(network === 'ip6' && { ipFamily: 'IPv6' }) })
  }
  if (kind === 'tcp') {
    const body = fields.text('body')
    return asPortCheck({ hostname, port: port ?? 0, ...(body !== '' && { data: world.texts.write(body) }), assertions }, { shouldFail })
  }
  const dns = fields.inside('dns')
  const [query, recordType] = [dns.text('query-name'), dns.text('query-type')].map(world.texts.resolve)
  const server = hostname === '' ? {} : { nameServer: hostname, ...(port !== null && port !== 53 && { port }) }
  return asNameCheck({
    query: literalText(query ?? ''),
    ...(recordType !== '' && recordType !== undefined && { recordType: recordType.toUpperCase() }),
    ...server,
    assertions,
  })
}

/** Splits an address with optional scheme, port and brackets. */
function hostAndPort(address: string): { readonly hostname: string; readonly port: number | null } {
  const rest = address.replace(/^[a-z]+:\/\//i, '').replace(/[/?#].*$/s, '')
  const [, bracketed, host = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::([0-9]{1,5}))?$/.exec(rest) ?? []
  const isAddress = rest.split(':').length > 2 && bracketed === undefined
  return { hostname: literalText(isAddress ? rest : (bracketed ?? host)), port: port === undefined ? null : Number(port) }
}

function httpCheckOf({ fields, client, item, world, conditions }: EndpointParts): ConvertedCheck {
  const { texts } = world
  const hide = (name: string, value: string) => texts.hide(`${item} ${name}`, value)
  const body = fields.text('body')
  const given = fields.take('headers')
  const headers = Object.entries(isMapping(given) ? given : {}).map(([name, value]) => {
    const one = plainText(value)
    return [name, isSecretName(name) || /^cookie$/i.test(name) ? hide(name, one) : texts.write(one)] as const
  })
  const isGraphql = fields.flag('graphql')
  const target: HttpTarget = {
    url: fields.text('url').includes('$') ? texts.write(fields.text('url')) : addressText(fields.text('url'), hide),
    method: (texts.resolve(fields.text('method')) || 'GET').toUpperCase(),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(body !== '' && {
      body: mayHoldSecrets(body) ? hide('body', body) : texts.write(body),
      bodyType: isGraphql ? ('graphql' as const) : ('raw' as const),
    }),
    ...(client.flag('ignore-redirect') && { followRedirects: false }),
    ...(client.flag('insecure') && { skipTls: true }),
    assertions: withoutStatus(conditions.assertions),
  }
  if (/\[(ENDPOINT_|LOCAL_ADDRESS|RANDOM_STRING_)/.test(body)) world.draft.lost(item, 'body', 'Its placeholders are sent unchanged.')
  return asHttpCheck(target, { shouldFail: conditions.shouldFail })
}

/** Gatus ignores the status unless a condition checks it, so any status must pass. */
function withoutStatus(assertions: readonly Assertion[]): readonly Assertion[] {
  const isAsserted = assertions.some(({ source }) => source === 'statusCode')
  return isAsserted ? assertions : [...assertions, { source: 'statusCode', comparison: 'greaterThan', target: 0 }]
}

function commonOf(
  fields: InputFields,
  client: InputFields,
  { item, world, conditions }: Pick<EndpointParts, 'item' | 'world' | 'conditions'>,
): Readonly<Record<string, unknown>> {
  const { draft, texts } = world
  const everyMs = parseDuration(texts.resolve(fields.text('interval')) || '60s')
  const { frequency, why } = frequencyOf(everyMs || 60_000)
  if (why !== null) draft.changed(item, 'interval', why)
  const timeout = timeoutTextOf(parseDuration(texts.resolve(client.text('timeout')) || '10s'))
  return {
    frequency,
    timeout,
    ...(conditions.maxResponseTimeMs !== null && { maxResponseTime: conditions.maxResponseTimeMs }),
    ...(fields.take('enabled') === false && { activated: false }),
  }
}
