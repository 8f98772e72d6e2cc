import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { type Conversion, changesBetween, converted, convertRun, reportedFor } from '../../../../test/support/conversion.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

type Module = Readonly<Record<string, unknown>>

const web = (http: Module = {}, more: Module = {}): Module => ({ prober: 'http', http, ...more })
/** Each module has its own target. */
const modules: Readonly<Record<string, Module>> = {
  http_2xx: web(),
  http_codes: web({ valid_status_codes: [200, 401] }),
  http_post: web({ method: 'POST', body: '{"a":1}', headers: { 'Content-Type': 'application/json' } }, { timeout: '5s' }),
  http_basic: web({ basic_auth: { username: 'ann', password: 'hunter2' } }),
  http_bearer: web({ authorization: { credentials: 'sekret-token' } }),
  http_scheme: web({ authorization: { type: 'Token', credentials: 'another-token' } }),
  http_old_bearer: web({ bearer_token: 'old-token' }),
  http_header_values: web({ http_headers: { 'X-Team': { values: ['shop'] }, 'X-Hidden': { secrets: ['very-secret'] } } }),
  http_header_files: web({ http_headers: { 'X-Team': { files: ['/a'] } } }),
  http_redirects: web({ follow_redirects: false }),
  http_insecure: web({ tls_config: { insecure_skip_verify: true } }),
  http_tls: web({ tls_config: { ca_file: '/ca.pem', server_name: 'x' } }),
  http_body: web({ fail_if_body_matches_regexp: ['(?i)error'], fail_if_body_not_matches_regexp: ['^ok$', 'ready'] }),
  http_headers_match: web({
    fail_if_header_matches: [
      { header: 'Server', regexp: 'apache', allow_missing: true },
      { header: 'Via', regexp: 'x' },
    ],
  }),
  http_headers_not: web({
    fail_if_header_not_matches: [
      { header: 'Cache-Control', regexp: 'max-age' },
      { header: 'Age', regexp: '1', allow_missing: true },
    ],
  }),
  http_ssl: web({ fail_if_not_ssl: true }),
  http_no_ssl: web({ fail_if_ssl: true }),
  http_cel: web({ fail_if_body_json_not_matches_cel: 'body.a == 1' }),
  http_versions: web({ valid_http_versions: ['HTTP/2.0'] }),
  http_proxy: web({ proxy_url: 'http://proxy:3128' }),
  http_oauth: web({ oauth2: { client_id: 'x' } }),
  http_ip4: web({ preferred_ip_protocol: 'ip4', ip_protocol_fallback: false }),
  http_prefers: web({ preferred_ip_protocol: 'ip4' }),
  http_limits: web({ body_size_limit: '10MB', compression: 'gzip', enable_http2: false }),
  http_body_file: web({ body_file: '/body' }),
  tcp_connect: { prober: 'tcp', timeout: '2s' },
  tcp_banner: { prober: 'tcp', tcp: { query_response: [{ expect: '^SSH-2.0-' }] } },
  tcp_ask: { prober: 'tcp', tcp: { query_response: [{ send: 'PING' }, { expect: 'PONG' }], ip_protocol_fallback: false } },
  tcp_irc: {
    prober: 'tcp',
    tcp: { query_response: [{ send: 'NICK a' }, { send: 'USER a' }, { expect: 'PING :([^ ]+)', send: 'PONG a' }] },
  },
  tcp_tls: { prober: 'tcp', tcp: { tls: true, tls_config: { insecure_skip_verify: true } } },
  dns_udp: { prober: 'dns', dns: { query_name: 'example.com.', query_type: 'MX' } },
  dns_tcp: {
    prober: 'dns',
    dns: { query_name: 'example.com', query_type: 'A', transport_protocol: 'tcp', valid_rcodes: ['NOERROR', 'NXDOMAIN'] },
  },
  dns_any: { prober: 'dns', dns: { query_name: 'example.com' } },
  dns_records: {
    prober: 'dns',
    dns: { query_name: 'example.com', query_type: 'A', validate_answer_rrs: { fail_if_not_matches_regexp: ['1.2'] } },
  },
  icmp: { prober: 'icmp' },
  icmp_ip4: { prober: 'icmp', icmp: { preferred_ip_protocol: 'ip4', ip_protocol_fallback: false, payload_size: 1400, ttl: 3 } },
  grpc: { prober: 'grpc', grpc: { service: 'x' } },
  unix: { prober: 'unix' },
  websocket: { prober: 'websocket' },
  no_prober: {},
}
const withoutCheck = ['grpc', 'unix', 'websocket', 'no_prober']
const targetOf = (module: string) =>
  /^(tcp|dns)/.test(module) ? 'host.example.com:5353' : /^icmp/.test(module) ? '192.0.2.1' : `https://example.com/${module}`
const relabel_configs = [
  { source_labels: ['__address__'], target_label: '__param_target' },
  { source_labels: ['__param_target'], target_label: 'instance' },
  { target_label: '__address__', replacement: '127.0.0.1:9115' },
]
const jobs = Object.keys(modules).map((module) => ({
  job_name: module,
  metrics_path: '/probe',
  params: { module: [module] },
  scrape_interval: '30s',
  static_configs: [{ targets: [targetOf(module)], labels: { env: 'prod' } }],
  relabel_configs,
}))

describe('targets of the blackbox exporter', () => {
  test('each is in the output or in the report', async () => {
    expect(jobs.length).toBeGreaterThanOrEqual(40)
    const conversion = await blackbox(modules, { scrape_configs: jobs })
    const items = Object.keys(modules).map((module) => `${targetOf(module)} (${module})`)
    const leftOut = conversion.lines.filter(({ outcome }) => outcome === 'left out').map(({ item }) => item)
    expect([...conversion.carried.map(({ item }) => item), ...leftOut].toSorted()).toEqual(items.toSorted())
    expect(leftOut).toHaveLength(withoutCheck.length)
    expect(conversion.text).toMatchSnapshot()
    expect(conversion.lines.map(({ item, field, outcome, why }) => [outcome, item, field, why].join(' | '))).toMatchSnapshot()
    expect(conversion.text).not.toMatch(/hunter2|sekret-token|another-token|old-token|very-secret/)
  })

  const fields: readonly (readonly [string, unknown])[] = [
    ...['valid_status_codes', 'valid_http_versions', 'fail_if_body_matches_regexp', 'fail_if_body_not_matches_regexp'].map(
      (name) => [name, ['201']] as const,
    ),
    ...['fail_if_header_matches', 'fail_if_header_not_matches'].map((name) => [name, [{ header: 'a', regexp: 'b' }]] as const),
    ...['headers', 'proxy_connect_header'].map((name) => [name, { a: 'b' }] as const),
    ...[
      'body',
      'body_file',
      'body_size_limit',
      'compression',
      'proxy_url',
      'no_proxy',
      'bearer_token',
      'bearer_token_file',
      'fail_if_body_json_matches_cel',
      'fail_if_body_json_not_matches_cel',
      'new_setting',
    ].map((name) => [name, 'x'] as const),
    ...['fail_if_ssl', 'no_follow_redirects', 'proxy_from_environment', 'skip_resolve_phase_with_proxy', 'enable_http3'].map(
      (name) => [name, true] as const,
    ),
    ...['follow_redirects', 'enable_http2', 'ip_protocol_fallback'].map((name) => [name, false] as const),
    ['method', 'PUT'],
    ['preferred_ip_protocol', 'ip4'],
    ['http_headers', { a: { values: ['b'] } }],
    ['tls_config', { insecure_skip_verify: true }],
    ['tls_config', { ca_file: '/a' }],
    ['basic_auth', { username: 'a', password: 'b' }],
    ['basic_auth', { password_file: '/a' }],
    ['authorization', { credentials: 'a' }],
    ['authorization', { credentials_file: '/a' }],
    ['oauth2', { client_id: 'a' }],
  ]
  const family = { preferred_ip_protocol: 'ip4', ip_protocol_fallback: false, source_ip_address: '192.0.2.7', new_setting: 1 }
  const rules = { fail_if_matches_regexp: ['x'] }
  const probes: Readonly<Record<string, readonly [object, Readonly<Record<string, unknown>>]>> = {
    icmp: [{}, { ...family, payload_size: 100, dont_fragment: true, ttl: 7 }],
    tcp: [{}, { ...family, query_response: [{ expect: 'x' }], tls: true, tls_config: { insecure_skip_verify: true } }],
    dns: [
      { query_name: 'example.com', query_type: 'A' },
      {
        ...family,
        query_name: 'www.example.com',
        query_type: 'MX',
        query_class: 'CH',
        transport_protocol: 'tcp',
        dns_over_tls: true,
        tls_config: { insecure_skip_verify: true },
        recursion_desired: false,
        valid_rcodes: ['NXDOMAIN'],
        validate_answer_rrs: rules,
        validate_authority_rrs: rules,
        validate_additional_rrs: rules,
      },
    ],
  }
  test.each(Object.entries(probes))('no setting of %s is lost silently', async (prober, [base, changes]) => {
    const modules = Object.entries(changes).map(([name, value]) => [name, { prober, [prober]: { ...base, [name]: value } }] as const)
    const named = Object.fromEntries([
      ['as_it_was', { prober, [prober]: base }] as const,
      ...modules,
      ['slow', { prober, timeout: '7s' }] as const,
    ])
    const scrape_configs = Object.keys(named).map((module) => ({
      job_name: module,
      metrics_path: '/probe',
      params: { module: [module] },
      static_configs: [{ targets: [`${module}.example.com:99`] }],
    }))
    const conversion = await blackbox(named, { scrape_configs })
    const said = (module: string) => {
      const { id: _, name: __, ...entry } = conversion.checks.get(`${module}.example.com:99`) ?? {}
      const reported = conversion.lines.filter(({ item }) => item === `${module}.example.com:99 (${module})`)
      return JSON.stringify([entry, reported], null, 1).replaceAll(module, '')
    }
    expect(Object.keys(changes).filter((name) => said(name) === said('as_it_was'))).toEqual([])
    expect(Object.keys(named).map((name) => `${name}: ${changesBetween(said('as_it_was'), said(name))}`)).toMatchSnapshot()
  })

  test.each(fields.map(([name, value]) => [`${name} ${JSON.stringify(value)}`, name, value] as const))(
    'http.%s is not lost silently',
    async (_, name, value) => {
      const config = {
        scrape_configs: [
          { job_name: 'a', metrics_path: '/probe', params: { module: ['m'] }, static_configs: [{ targets: ['https://example.com'] }] },
        ],
      }
      const before = await blackbox({ m: web() }, config)
      const after = await blackbox({ m: web({ [name]: value }) }, config)
      const became = changesBetween([before.text, before.lines], [after.text, after.lines])
      expect(became).not.toBe('')
      expect(became).toMatchSnapshot()
    },
  )
})

test.each(['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA', 'HTTPS', 'mx', 'SRV', 'ANY'])(
  'a query for %s is converted, if necessary to one for A',
  async (query_type) => {
    const job = { job_name: 'dns', metrics_path: '/probe', params: { module: ['dns'] }, static_configs: [{ targets: ['192.0.2.1'] }] }
    const dns = { query_name: 'example.com', query_type }
    const conversion = await blackbox({ dns: { prober: 'dns', dns } }, { scrape_configs: [job] })
    const isKnown = !['SRV', 'ANY'].includes(query_type)
    expect(JSON.stringify([...conversion.checks.values()])).toContain(`"recordType":"${isKnown ? query_type.toUpperCase() : 'A'}"`)
    const lines = conversion.lines.map(({ field, why }) => `${field}: ${why}`)
    expect(lines).toEqual(isKnown ? [] : [`dns.query_type: DNS checks do not support ${query_type}: it queries A.`])
  },
)

describe('jobs of Prometheus', () => {
  const job = { job_name: 'web', metrics_path: '/probe', params: { module: ['http_2xx'] } }
  const base = { http_2xx: web({}, { timeout: '20s' }), icmp: { prober: 'icmp' } }

  test('have an interval, a timeout and labels', async () => {
    const config = {
      global: { scrape_interval: '15s', scrape_timeout: '10s' },
      scrape_configs: [
        {
          ...job,
          static_configs: [{ targets: ['example.com', 'https://example.org'], labels: { team: 'a,b', __param_module: 'http_2xx' } }],
        },
        {
          ...job,
          job_name: 'often',
          scrape_interval: '5s',
          static_configs: [{ targets: ['192.0.2.1'], labels: { __param_module: 'icmp' } }],
        },
      ],
    }
    const conversion = await blackbox(base, config)
    expect(conversion.account.groups).toMatchObject([
      {
        name: 'web',
        checks: [
          { request: { url: 'http://example.com' }, frequency: '15s', timeout: '10s', tags: ['team=a b'] },
          { request: { url: 'https://example.org' } },
        ],
      },
      { name: 'often', checks: [{ frequency: '10s', request: { hostname: '192.0.2.1' } }] },
    ])
    expect(reportedFor(conversion, '192.0.2.1 (icmp)')).toEqual(['changed scrape_interval'])
  })

  test('with a password in the URL do not show it', async () => {
    const targets = ['https://ann:hunter2@example.com/a?token=abcdefgh']
    const conversion = await blackbox(base, { scrape_configs: [{ ...job, static_configs: [{ targets }] }] })
    expect([...conversion.checks.keys()]).toEqual(['https://ann:•••@example.com/a?token=•••'])
    expect(JSON.stringify([conversion.text, conversion.lines, conversion.ended])).not.toMatch(/hunter2|abcdefgh/)
    expect(Object.values(conversion.environment)).toEqual(['hunter2', 'abcdefgh'])
  })

  test('read targets from files', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'targets'))
    writeFileSync(join(folder, 'targets/a.yml'), stringify([{ targets: ['https://a.example.com'], labels: { team: 'a' } }]))
    writeFileSync(join(folder, 'targets/b.json'), JSON.stringify([{ targets: ['https://b.example.com'] }]))
    const config = { scrape_configs: [{ ...job, file_sd_configs: [{ files: ['targets/*.yml', 'targets/b.json', 'nowhere/*.yml'] }] }] }
    const conversion = await blackbox(base, config, folder)
    expect([...conversion.checks.keys()]).toEqual(['https://a.example.com', 'https://b.example.com'])
    expect(conversion.lines.filter(({ item }) => item === 'job web')).toEqual([
      { item: 'job web', field: 'file_sd_configs: nowhere/*.yml', outcome: 'lost', why: 'File not found.' },
    ])
  })

  test('that are not probes, discover targets or rewrite labels are reported', async () => {
    const config = {
      scrape_configs: [
        { job_name: 'node', static_configs: [{ targets: ['a:9100'] }] },
        {
          ...job,
          kubernetes_sd_configs: [{ role: 'ingress' }],
          static_configs: [{ targets: ['https://a.example.com'] }],
          relabel_configs: [...relabel_configs, { source_labels: ['a'], target_label: 'b' }],
        },
        { ...job, job_name: 'unknown', params: { module: ['nothing'] }, static_configs: [{ targets: ['https://a.example.com'] }] },
      ],
    }
    const conversion = await blackbox(base, config)
    expect(reportedFor(conversion, 'job node')).toEqual(['left out'])
    expect(reportedFor(conversion, 'job web')).toEqual(['lost relabel_configs: a → b', 'lost kubernetes_sd_configs'])
    expect(reportedFor(conversion, 'https://a.example.com (nothing)')).toEqual(['left out'])
    expect(reportedFor(conversion, 'module icmp')).toEqual(['left out'])
  })

  test('have targets according to the rules or parameters of their job', async () => {
    const [address, ...others] = relabel_configs
    const job = { metrics_path: '/probe', params: { module: ['icmp'] }, static_configs: [{ targets: ['a.example.com'] }] }
    const config = {
      scrape_configs: [
        { ...job, job_name: 'around', relabel_configs: [{ ...address, replacement: 'db.$1' }, ...others] },
        { ...job, job_name: 'named', params: { module: ['icmp'], target: ['b.example.com'] } },
        { ...job, job_name: 'cut', relabel_configs: [{ ...address, regex: '([^.]*).*' }, ...others] },
      ],
    }
    const conversion = await blackbox({ icmp: { prober: 'icmp' } }, config)
    expect(conversion.carried.map(({ item }) => item)).toEqual(['db.a.example.com (icmp)', 'b.example.com (icmp)', 'a.example.com (icmp)'])
    expect(reportedFor(conversion, 'job around')).toEqual([])
    expect(reportedFor(conversion, 'job named')).toEqual([])
    expect(reportedFor(conversion, 'job cut')).toEqual(['lost relabel_configs: __address__ → __param_target'])
  })

  test('in further files have the interval of prometheus.yml or their own, and missing files are reported', async () => {
    const folder = temporaryFolder()
    const write = (name: string, value: unknown) => {
      writeFileSync(join(folder, name), stringify(value))
      return join(folder, name)
    }
    const job = { job_name: 'j', metrics_path: '/probe', params: { module: ['m'] }, static_configs: [{ targets: ['a.example.com'] }] }
    const main = write('prometheus.yml', { global: { scrape_interval: '25s' }, scrape_config_files: ['jobs/*.yml'] })
    const other = { global: { scrape_interval: '40s' }, scrape_configs: [{ ...job, static_configs: [{ targets: ['b.example.com'] }] }] }
    const jobs = [write('jobs.yml', { scrape_configs: [job] }), main, write('other.yml', other)]
    const conversion = await converted('blackbox', [...jobs, write('blackbox.yml', { modules: { m: { prober: 'icmp' } } })])
    expect([...conversion.checks.values()].map(({ frequency }) => frequency)).toEqual(['25s', '40s'])
    expect(reportedFor(conversion, main)).toEqual(['lost scrape_config_files: jobs/*.yml'])
  })

  test('in scrape_config_files are read once, whether these are given or not', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'jobs'))
    const write = (name: string, value: unknown) => {
      writeFileSync(join(folder, name), stringify(value))
      return join(folder, name)
    }
    const jobs = ['a', 'b'].map((name) => {
      const job = {
        job_name: name,
        metrics_path: '/probe',
        params: { module: ['m'] },
        static_configs: [{ targets: [`${name}.example.com`] }],
      }
      return write(`jobs/${name}.yml`, { scrape_configs: [job] })
    })
    const main = write('prometheus.yml', {
      global: { scrape_interval: '25s' },
      scrape_configs: [],
      scrape_config_files: ['jobs/*.yml', 'jobs/a.yml'],
    })
    const blackbox = write('blackbox.yml', { modules: { m: { prober: 'icmp' } } })
    for (const given of [[], jobs.slice(0, 1), jobs]) {
      const conversion = await converted('blackbox', [main, blackbox, ...given])
      const frequencies = [...conversion.checks.values()].map(({ name, frequency }) => `${name} ${frequency}`)
      expect(frequencies.toSorted()).toEqual(['a.example.com 25s', 'b.example.com 25s'])
      expect(reportedFor(conversion, main)).toEqual([])
    }
  })
})

describe('invalid input', () => {
  test.each([
    [{ scrape_configs: [] }, 'No file has modules'],
    [{ modules: { a: { prober: 'icmp' } } }, 'No file has scrape_configs'],
    ['text', 'has neither modules nor scrape_configs'],
  ])('%j', async (value, why) => {
    const file = join(temporaryFolder(), 'a.yml')
    writeFileSync(file, stringify(value))
    expect((await convertRun('blackbox', [file])).ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(why) })
  })

  test('with more targets than the limit is rejected', async () => {
    const file = join(temporaryFolder(), 'a.yml')
    const targets = Array.from({ length: 100_001 }, (_, index) => `a${index}`)
    const job = { job_name: 'j', metrics_path: '/probe', params: { module: ['m'] }, static_configs: [{ targets }] }
    writeFileSync(file, JSON.stringify({ modules: { m: { prober: 'icmp' } }, scrape_configs: [job] }))
    const refusal = { exitCode: 1, stderr: 'There are more than 100000 targets.\n' }
    expect((await convertRun('blackbox', [file])).ended).toMatchObject(refusal)
  })

  test('with arbitrary values gives a valid file, or an error message', async () => {
    const module = fc.record({
      prober: fc.constantFrom('http', 'tcp', 'dns', 'icmp'),
      timeout: fc.anything(),
      http: fc.object({ maxDepth: 2 }),
      tcp: fc.object({ maxDepth: 2 }),
      dns: fc.object({ maxDepth: 2 }),
    })
    const target = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('https://a.example', 'a:1', '[::1]:53', '192.0.2.1'))
    await fc.assert(
      fc.asyncProperty(module, fc.array(target, { maxLength: 5 }), async (one, targets) => {
        const file = join(temporaryFolder(), 'a.yml')
        const value = {
          modules: { m: one },
          scrape_configs: [{ job_name: 'j', metrics_path: '/probe', params: { module: ['m'] }, static_configs: [{ targets }] }],
        }
        writeFileSync(
          file,
          JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)),
        )
        const { ended } = await convertRun('blackbox', [file])
        expect(ended.stderr).not.toContain('which is a bug')
        expect([0, 1]).toContain(ended.exitCode)
      }),
      { numRuns: 150 },
    )
  })
})

function blackbox(
  all: Readonly<Record<string, Module>>,
  prometheus: Readonly<Record<string, unknown>>,
  folder = temporaryFolder(),
): Promise<Conversion> {
  writeFileSync(join(folder, 'blackbox.yml'), stringify({ modules: all }))
  writeFileSync(join(folder, 'prometheus.yml'), stringify(prometheus))
  return converted('blackbox', [join(folder, 'prometheus.yml'), join(folder, 'blackbox.yml')])
}
