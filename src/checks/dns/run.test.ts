import dns from 'node:dns'
import type { Answer } from 'dns-packet'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type DnsReply, dnsServer, type OnQuestion, type ReceivedQuestion } from '../../../test/support/dns-server.ts'
import { runContext } from '../../../test/support/run-context.ts'
import { closedPort, tcpServer } from '../../../test/support/servers.ts'
import { addressPolicy } from '../probe/net/addresses.ts'
import { systemServer } from './name-server.ts'
import { run } from './run.ts'

type Request = Parameters<typeof run>[0]['request']

const ask = async (onQuestion: OnQuestion, request: Partial<Request> = {}, context = runContext()) =>
  run({ request: { query: 'example.test', nameServer: '127.0.0.1', port: await dnsServer(onQuestion), ...request } }, context)
const a = (data: string, ttl = 300): Answer => ({ type: 'A', name: 'example.test', ttl, data })
const answers = (...records: Answer[]): DnsReply => ({ answers: records })

describe('a query has', () => {
  test.each(['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA', 'HTTPS'] as const)(
    'the record type %s, over UDP and TCP',
    async (recordType) => {
      for (const protocol of ['UDP', 'TCP'] as const) {
        const asked: ReceivedQuestion[] = []
        const { failure } = await ask(
          (question) => {
            asked.push(question)
            return answers()
          },
          { recordType, protocol },
        )
        expect(failure).toBeNull()
        const type = recordType === 'HTTPS' ? 'UNKNOWN_65' : recordType
        expect(asked).toEqual([{ question: { name: 'example.test', type, class: 'IN' }, protocol }])
      }
    },
  )

  test.each([
    ['_dmarc.example.test.', '_dmarc.example.test'],
    ['bücher.test', 'xn--bcher-kva.test'],
    ['.', '.'],
  ])('the name %s is %s', async (query, name) => {
    const names: string[] = []
    await ask(
      ({ question }) => {
        names.push(question.name)
        return answers()
      },
      { query },
    )
    expect(names).toEqual([name])
  })

  test.each(['a..test', '.test', `${'a'.repeat(64)}.test`])('no invalid name such as %j', async (query) => {
    expect(await ask(() => answers(), { query })).toMatchObject({ failure: `${JSON.stringify(query)} is not a domain name`, broken: true })
  })
})

describe('the response', () => {
  const shown = async (recordType: Exclude<Request['recordType'], undefined>, record: Answer) =>
    (await ask(() => answers(record), { recordType, assertions: [{ source: 'answer', comparison: 'isNull' }] })).assertions?.[0]?.actual

  test('is shown as in zone files', async () => {
    const name = 'example.test'
    expect(await shown('A', a('192.0.2.1'))).toBe('"192.0.2.1"')
    expect(await shown('AAAA', { type: 'AAAA', name, data: '2001:db8::1' })).toBe('"2001:db8::1"')
    expect(await shown('CNAME', { type: 'CNAME', name, data: 'www.example.test' })).toBe('"www.example.test"')
    expect(await shown('NS', { type: 'NS', name, data: 'ns1.example.test' })).toBe('"ns1.example.test"')
    expect(await shown('MX', { type: 'MX', name, data: { preference: 10, exchange: 'mail.example.test' } })).toBe('"10 mail.example.test"')
    expect(await shown('TXT', { type: 'TXT', name, data: ['v=spf1 ', '-all'] })).toBe('"v=spf1 -all"')
    const soa = { mname: 'ns1.example.test', rname: 'admin.example.test', serial: 7, refresh: 1, retry: 2, expire: 3, minimum: 4 }
    expect(await shown('SOA', { type: 'SOA', name, data: soa })).toBe('"ns1.example.test admin.example.test 7 1 2 3 4"')
  })

  test('is shown as in zone files, also with HTTPS records', async () => {
    const data = Buffer.concat([
      Buffer.from('000100', 'hex'),
      Buffer.from('00010006', 'hex'),
      Buffer.from('\x02h3\x02h2'),
      Buffer.from('0003000201bb', 'hex'),
      Buffer.from('00040004c0000201', 'hex'),
      Buffer.from('0006001020010db8000000000000000000000001', 'hex'),
    ])
    const record = (bytes: Buffer) => ({ type: 'UNKNOWN_65', name: 'example.test', data: bytes }) as unknown as Answer
    expect(await shown('HTTPS', record(data))).toBe('"1 . alpn=h3,h2 port=443 ipv4hint=192.0.2.1 ipv6hint=2001:db8::1"')
    expect(await shown('HTTPS', record(Buffer.from('0001c0', 'hex')))).toBe('"0001c0"')
  })

  test('is evaluated by assertions', async () => {
    const chain: Answer = { type: 'CNAME', name: 'example.test', ttl: 60, data: 'www.example.test' }
    const { failure, assertions, notes } = await ask(() => answers(chain, a('192.0.2.1'), a('192.0.2.2')), {
      assertions: [
        { source: 'responseCode', comparison: 'equals', target: 'NOERROR' },
        { source: 'answer', comparison: 'contains', target: '192.0.2.2' },
        { source: 'answer', comparison: 'notContains', target: '192.0.2.3' },
        { source: 'answer', property: '$[0].data', comparison: 'equals', target: 'www.example.test' },
        { source: 'answer', property: '$[1].ttl', comparison: 'greaterThan', target: 299 },
        { source: 'responseTime', comparison: 'lessThan', target: 10_000 },
      ],
    })
    expect(failure).toBeNull()
    expect(assertions).toHaveLength(6)
    expect(notes).toEqual(['example.test 60 CNAME www.example.test', 'example.test 300 A 192.0.2.1', 'example.test 300 A 192.0.2.2'])
  })

  test('fails the check if it differs from the expected one', async () => {
    const expected = [{ source: 'answer', comparison: 'equals', target: '192.0.2.9' } as const]
    const measured = await ask(() => answers(a('192.0.2.1')), { assertions: expected })
    expect(measured).toMatchObject({ failure: 'answer "192.0.2.1", expected "192.0.2.9"', broken: false })
    expect(measured.metrics.total).not.toBeNull()
  })

  test('fails the check if its code is an error, unless an assertion expects that', async () => {
    const missing = () => ({ code: 3 })
    expect((await ask(missing)).failure).toBe('response code NXDOMAIN, expected NOERROR')
    const assertions = [{ source: 'responseCode', comparison: 'equals', target: 'NXDOMAIN' } as const]
    expect((await ask(missing, { assertions })).failure).toBeNull()
  })

  test('is requested over TCP if it is too long for UDP', async () => {
    const { failure, notes } = await ask(
      ({ protocol }) => (protocol === 'UDP' ? { truncated: true } : answers(...Array.from({ length: 200 }, (_, i) => a(`192.0.2.${i}`)))),
      { assertions: [{ source: 'answer', comparison: 'contains', target: '192.0.2.199' }] },
    )
    expect(failure).toBeNull()
    expect(notes?.[0]).toBe('the UDP answer was truncated: retried over TCP')
  })
})

describe('a faulty server', () => {
  const impatient = () => runContext({ timeoutMs: 250 })

  test.each(['UDP', 'TCP'] as const)('does not respond over %s', async (protocol) => {
    const measured = await ask(() => null, { protocol }, impatient())
    expect(measured).toMatchObject({ failure: 'no answer within 250 ms at query', broken: true, metrics: { total: null } })
  })

  test.each(['UDP', 'TCP'] as const)('is unreachable over %s', async (protocol) => {
    const { failure } = await ask(() => null, { protocol, port: await closedPort() }, runContext())
    expect(failure).toBe('connection refused at query')
  })

  test('responds to a different question', async () => {
    const stray = Buffer.from('ffff81800000000000000000', 'hex')
    expect((await ask(() => stray, {}, impatient())).failure).toBe('no answer within 250 ms at query')
    expect((await ask(() => stray, { protocol: 'TCP' })).failure).toBe('the answer does not match the query')
  })

  test('responds with a truncated message', async () => {
    expect((await ask(() => Buffer.from('00'), {}, impatient())).failure).toBe('no answer within 250 ms at query')
  })

  test('responds with a malformed message', async () => {
    const port = await tcpServer((socket) => {
      socket.on('data', (question) =>
        socket.write(Buffer.concat([Buffer.from([0, 13]), question.subarray(2, 4), Buffer.from('8180000100010000000040', 'hex')])),
      )
    })
    const { failure } = await ask(() => null, { port, protocol: 'TCP' })
    expect(failure).toBe('the answer is not a valid DNS message')
  })

  test('closes the connection', async () => {
    const port = await tcpServer((socket) => void socket.end())
    expect((await ask(() => null, { port, protocol: 'TCP' })).failure).toMatch(
      /^(the connection was closed before an answer arrived|connection .* at query)$/,
    )
  })
})

describe('the name server', () => {
  test('is not queried at a denied address', async () => {
    let asked = false
    const admit = addressPolicy({ allow: ['0.0.0.0'], deny: ['127.0.0.1'] })
    const seen = () => {
      asked = true
      return answers()
    }
    for (const nameServer of ['127.0.0.1', '0.0.0.0']) {
      for (const protocol of ['UDP', 'TCP'] as const) {
        const { failure } = await ask(seen, { nameServer, protocol }, runContext({ admit }))
        expect(failure).toBe('the address 127.0.0.1 is not allowed for checks')
      }
    }
    expect(asked).toBe(false)
  })

  test('can be a host name', async () => {
    expect((await ask(() => answers(), { nameServer: 'localhost' })).failure).toBeNull()
  })

  test.each([
    ['192.0.2.1', '192.0.2.1', 53],
    ['192.0.2.1:5353', '192.0.2.1', 5353],
    ['2001:db8::1', '2001:db8::1', 53],
    ['[2001:db8::1]:5353', '2001:db8::1', 5353],
    ['fe80::1%eth0', 'fe80::1%eth0', 53],
  ])('is parsed from %s in the system configuration', (text, address, port) => {
    expect(systemServer(text)).toMatchObject({ address, port })
  })

  test('is that of the system by default, regardless of the address policy', async () => {
    await systemAnswers('192.0.2.1')
    const admit = addressPolicy({ allow: [], deny: ['127.0.0.1'] })
    const { failure, notes } = await run({ request: { query: 'example.test' } }, runContext({ admit }))
    expect(failure).toBeNull()
    expect(notes).toEqual(['example.test 300 A 192.0.2.1'])
  })

  test('is the current one of the system after it has changed', async () => {
    const notesOf = async () => (await run({ request: { query: 'example.test' } }, runContext())).notes
    await systemAnswers('192.0.2.1')
    expect(await notesOf()).toEqual(['example.test 300 A 192.0.2.1'])
    const { mock } = await systemAnswers('192.0.2.2')
    expect(await notesOf()).toEqual(['example.test 300 A 192.0.2.2'])
    expect(new Set(mock.contexts).size).toBe(2)
  })

  /** Only a new resolver reads what the system says. */
  async function systemAnswers(address: string) {
    const server = `127.0.0.1:${await dnsServer(() => answers(a(address)))}`
    const spy = vi.spyOn(dns.Resolver.prototype, 'getServers').mockReturnValue([server])
    onTestFinished(() => spy.mockRestore())
    return spy
  }

  test('is required on a machine without one', () => {
    expect(() => systemServer(undefined)).toThrow('this machine has no name server: set nameServer')
  })
})
