import { asEchoCheck, asNameCheck, asPortCheck, type ConvertedCheck } from '../../../checks/converted.ts'
import type { Assertion } from '../../../checks/probe/settings.ts'
import { isMapping } from '../../../collections/mapping.ts'
import type { ConversionDraft } from '../draft.ts'
import { frequencyOf, parseDuration, timeoutTextOf } from '../durations.ts'
import { fieldsOf, plainText, unreadLines } from '../fields.ts'
import { addressText, literalText } from '../written-text.ts'
import { httpProbe } from './http-probe.ts'
import { familyOf, type ProbeInput } from './probe-input.ts'

/** A target of a Prometheus job, with the module that probes it. */
export type ProbeTarget = {
  readonly job: string
  readonly module: string
  readonly target: string
  readonly tags: readonly string[]
  readonly everyMs: number
  readonly scrapeTimeoutMs: number | null
}

const probers: Readonly<Record<string, (input: ProbeInput) => ConvertedCheck>> = {
  http: httpProbe,
  tcp: tcpProbe,
  dns: dnsProbe,
  icmp: ({ target, probe }) => asEchoCheck({ hostname: literalText(target.replace(/^\[(.*)\]$/, '$1')), ...familyOf(probe) }),
}

const probeDefaults = {
  preferred_ip_protocol: 'ip6',
  ip_protocol_fallback: true,
  follow_redirects: true,
  enable_http2: true,
  recursion_desired: true,
  query_class: 'IN',
  method: 'GET',
}

export function convertProbe(
  { job, module, target, tags, everyMs, scrapeTimeoutMs }: ProbeTarget,
  value: unknown,
  draft: ConversionDraft,
): void {
  const shown = addressText(target, () => '•••')
  const item = `${shown} (${module})`
  const prober = isMapping(value) ? plainText(value.prober) : ''
  const convert = Object.hasOwn(probers, prober) ? probers[prober] : undefined
  if (!convert) {
    const why = isMapping(value) ? `No check corresponds to the prober ${prober || 'without a name'}.` : `Unknown module ${module}.`
    draft.leftOut(item, why)
    return
  }
  const fields = fieldsOf(value, { [prober]: probeDefaults })
  fields.skip('prober')
  const { frequency, why } = frequencyOf(everyMs)
  if (why !== null) draft.changed(item, 'scrape_interval', why)
  const limits = [parseDuration(fields.text('timeout')), scrapeTimeoutMs].filter((ms) => ms !== null && ms > 0) as readonly number[]
  const timeout = timeoutTextOf(limits.length === 0 ? null : Math.min(...limits))
  const check = convert({ target, probe: fields.inside(prober), item, draft })
  const settings = { ...check, frequency, ...(timeout !== null && { timeout }) }
  const id = draft.addCheck({ item, name: shown, group: draft.groupOf(job), tags, settings })
  if (id !== null) draft.report(...unreadLines(fields, item, reasons))
}

const reasons: Readonly<Record<string, string>> = {
  'http.proxy_url': 'Checks do not support proxies.',
  'http.oauth2': 'Checks do not support OAuth: the target will see a request without credentials.',
  'http.fail_if_body_json_matches_cel': 'CEL is not supported: write an assertion on jsonBody.',
  'http.fail_if_body_json_not_matches_cel': 'CEL is not supported: write an assertion on jsonBody.',
  'http.body_file': 'Files of the exporter are not converted.',
  'http.valid_http_versions': 'The HTTP version is not checked.',
  'http.compression': 'Responses are decompressed according to their headers.',
  'http.body_size_limit': 'Tidemark limits the body size.',
  'tcp.tls': 'TCP checks do not support TLS: only the connection is tested.',
  'tcp.tls_config': 'TCP checks do not support TLS: only the connection is tested.',
  'dns.dns_over_tls': 'DNS checks do not support TLS.',
}

/** Splits `host:port`, also with brackets. */
function hostAndPort(target: string): { readonly hostname: string; readonly port: number | null } {
  const [, bracketed, host = target, port] = /^(?:\[([^\]]*)\]|([^:]*)):([0-9]{1,5})$/.exec(target) ?? []
  return { hostname: literalText(bracketed ?? host), port: port === undefined ? null : Number(port) }
}

/** Converts at most one sent and one expected text, in any order. Longer exchanges are lost. */
function tcpProbe({ target, probe, item, draft }: ProbeInput): ConvertedCheck {
  const { hostname, port } = hostAndPort(target)
  const steps = probe.list('query_response').filter(isMapping)
  const [sent, expected] = ['send', 'expect'].map((name) => steps.map((step) => plainText(step[name])).filter((text) => text !== ''))
  const others = steps.flatMap((step) => Object.keys(step)).filter((name) => name !== 'send' && name !== 'expect')
  const isSimple = (sent ?? []).length <= 1 && (expected ?? []).length <= 1 && others.length === 0
  if (!isSimple) draft.lost(item, 'tcp.query_response', 'A check sends one text and reads one response: only the connection is tested.')
  const [data, pattern] = isSimple ? [sent?.[0], expected?.[0]] : []
  const assertions: readonly Assertion[] =
    pattern === undefined ? [] : [{ source: 'responseData', comparison: 'matches', target: literalText(pattern) }]
  return asPortCheck({
    hostname,
    port: port ?? 0,
    ...familyOf(probe),
    ...(data !== undefined && { data: literalText(`${data}\n`) }),
    assertions,
  })
}

const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA', 'HTTPS']

function dnsProbe({ target, probe, item, draft }: ProbeInput): ConvertedCheck {
  const { hostname, port } = hostAndPort(target)
  const asked = (probe.text('query_type') || 'ANY').toUpperCase()
  const recordType = recordTypes.includes(asked) ? asked : 'A'
  if (recordType !== asked) draft.changed(item, 'dns.query_type', `DNS checks do not support ${asked}: it queries A.`)
  const transport = probe.text('transport_protocol')
  if (/[46]$/.test(transport)) draft.changed(item, 'dns.transport_protocol', `The address family of ${transport} cannot be chosen.`)
  const codes = probe.list('valid_rcodes').map(plainText)
  const assertions: readonly Assertion[] =
    codes.length === 0 ? [] : [{ source: 'responseCode', comparison: 'oneOf', target: codes.map(literalText) }]
  return asNameCheck({
    query: literalText(probe.text('query_name').replace(/(.)\.$/, '$1')),
    recordType,
    nameServer: hostname,
    ...(port !== null && port !== 53 && { port }),
    ...(/^tcp/.test(transport) && { protocol: transports.stream }),
    assertions,
  })
}

const transports = { stream: 'TCP', datagram: 'UDP' } as const
