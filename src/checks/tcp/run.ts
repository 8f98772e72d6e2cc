import type { Static } from 'typebox'
import { assertAll, type Observe } from '../probe/assert/assertions.ts'
import { failureMessage } from '../probe/failures.ts'
import { AddressDenied } from '../probe/net/addresses.ts'
import { connectFirst, literalAddress, resolve } from '../probe/net/connect.ts'
import { type Stopwatch, stopwatch } from '../probe/net/stopwatch.ts'
import { redactor } from '../probe/redact.ts'
import type { RunFunction } from '../probe/run.ts'
import { type Expectation, exchangeData } from './exchange-data.ts'
import type { metrics, TcpSettings } from './shape.ts'

type Request = Static<typeof TcpSettings>['request']
type Watch = Stopwatch<'dns' | 'connection' | 'data'>

export const run: RunFunction<Static<typeof TcpSettings>, typeof metrics> = async ({ request, shouldFail = false }, context) => {
  const watch: Watch = stopwatch(['dns', 'connection', 'data'])
  try {
    if (literalAddress(request.hostname) === null) watch.start('dns', 'DNS lookup')
    const addresses = await resolve(request, context)
    watch.start('connection', 'connect')
    const socket = await connectFirst(addresses, request.port, context)
    watch.stop()
    const received = await exchangeData(socket, { watch, signal: context.signal, data: request.data, expectation: expectationOf(request) })
    const { outcomes, failure } = assertAll(request.assertions ?? [], sourcesOf(received, watch), redactor(context.secrets))
    const connected = shouldFail ? `port ${request.port} accepted the connection, expected it not to` : failure
    return { metrics: { total: watch.total(), ...watch.phases() }, failure: connected, broken: false, assertions: outcomes }
  } catch (error) {
    const failure = failureMessage(error, watch.at(), context)
    const wanted = shouldFail && watch.at() === 'connect' && !(error instanceof AddressDenied)
    return {
      metrics: { total: null, ...watch.phases() },
      failure: wanted ? null : failure,
      broken: !wanted,
      ...(wanted && { notes: [failure] }),
    }
  }
}

/** What to wait for once connected: a response that satisfies the assertions, else any response to the data sent, else nothing. */
function expectationOf({ data, assertions = [] }: Request): Expectation | null {
  const expected = assertions.filter(({ source }) => source === 'responseData')
  if (expected.length === 0) return data === undefined ? null : { isComplete: () => true, optional: true }
  return { isComplete: (received) => assertAll(expected, { responseData: responseData(received) }).failure === null, optional: false }
}

function sourcesOf(received: string, watch: Watch): Readonly<Record<string, Observe>> {
  return {
    responseData: responseData(received),
    responseTime: () => ({ subject: 'response time', value: () => watch.total(), unit: ' ms' }),
  }
}

const responseData =
  (received: string): Observe =>
  () => ({ subject: 'response data', value: () => received })
