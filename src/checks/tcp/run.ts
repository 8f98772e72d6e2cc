import type { Static } from '../../schema/typebox.ts'
import { failureMessage } from '../probe/failures.ts'
import { judgeInline, type Verdict } from '../probe/judge/judge.ts'
import { AddressDenied } from '../probe/net/addresses.ts'
import { connectFirst, literalAddress, resolve } from '../probe/net/connect.ts'
import { type Stopwatch, stopwatch } from '../probe/net/stopwatch.ts'
import { receivedBody } from '../probe/received.ts'
import type { RunContext, RunFunction } from '../probe/run.ts'
import type { Assertion } from '../probe/settings.ts'
import { type Expectation, exchangeData } from './exchange-data.ts'
import { dataJudge } from './judge-data.ts'
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
    const judged = judging(watch, context)
    const expectation = expectationOf(request, judged)
    const data = await exchangeData(socket, { watch, signal: context.signal, data: request.data, expectation })
    const { failure, assertions } = await judged(data, request.assertions ?? [])
    const connected = shouldFail ? `port ${request.port} accepted the connection, expected it not to` : failure
    const received = context.keepsReceived ? { status: null, headers: [], ...receivedBody(data, true, context.secrets) } : null
    return { metrics: { total: watch.total(), ...watch.phases() }, failure: connected, broken: false, assertions, received }
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

/** The response to wait for once connected: one that satisfies the assertions, else any response to the sent data, else none. */
function expectationOf({ data, assertions = [] }: Request, judged: Judged): Expectation | null {
  const expected = assertions.filter(({ source }) => source === 'responseData')
  if (expected.length === 0) return data === undefined ? null : { isComplete: async () => true, optional: true }
  const isComplete = async (received: string) => {
    const { failure, exceeded } = await judged(received, expected)
    return failure === null || exceeded === true
  }
  return { isComplete, optional: false }
}

type Judged = (received: string, assertions: readonly Assertion[]) => Promise<Verdict>

function judging(watch: Watch, { judge, secrets }: RunContext): Judged {
  return (received, assertions) => {
    const where = assertions.length === 0 ? judgeInline : judge
    return where(dataJudge, { received, responseTime: watch.total(), assertions, secrets })
  }
}
