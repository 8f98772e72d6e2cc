import type { Static } from 'typebox'
import { assertAll, type Observe } from '../probe/assert/assertions.ts'
import { jsonPathValue } from '../probe/assert/json-path.ts'
import { failureMessage } from '../probe/failures.ts'
import { stopwatch } from '../probe/net/stopwatch.ts'
import { redactor } from '../probe/redact.ts'
import type { RunFunction } from '../probe/run.ts'
import { type DnsAnswer, encodeQuestion, parseAnswer } from './message.ts'
import { nameServerOf } from './name-server.ts'
import { sendQuery } from './query.ts'
import type { DnsSettings, metrics } from './shape.ts'

export const run: RunFunction<Static<typeof DnsSettings>, typeof metrics> = async ({ request }, context) => {
  const watch = stopwatch(['total'])
  const notes: string[] = []
  const { recordType = 'A', protocol = 'UDP', assertions = [] } = request
  try {
    const question = encodeQuestion(request.query, recordType)
    const server = await nameServerOf(request, context)
    watch.start('total', 'query')
    const message = await sendQuery(question, { server, protocol, signal: context.signal, onNote: (note) => notes.push(note) })
    watch.stop()
    const answer = parseAnswer(message)
    notes.push(...answer.records.map(({ name, ttl, type, data }) => `${name} ${ttl} ${type} ${data}`))
    const { outcomes, failure } = assertAll(assertions, sourcesOf(answer, recordType, watch.total()), redactor(context.secrets))
    const unasked = assertions.some(({ source }) => source === 'responseCode') ? null : unexpectedCode(answer)
    return { metrics: { total: watch.total() }, failure: failure ?? unasked, broken: false, assertions: outcomes, notes }
  } catch (error) {
    return { metrics: { total: null }, failure: failureMessage(error, watch.at() || 'DNS lookup', context), broken: true, notes }
  }
}

function unexpectedCode({ code }: DnsAnswer): string | null {
  return code === 'NOERROR' ? null : `response code ${code}, expected NOERROR`
}

/** Without a JSONPath, `answer` is the data of the records of the requested type; with one, its matches in the list of all records. */
function sourcesOf({ code, records }: DnsAnswer, recordType: string, total: number): Readonly<Record<string, Observe>> {
  const data = records.filter(({ type }) => type === recordType).map(({ data: text }) => text)
  return {
    responseCode: () => ({ subject: 'response code', value: () => code }),
    answer: (path) =>
      path === undefined
        ? { subject: 'answer', value: () => (data.length > 1 ? data : (data[0] ?? null)) }
        : { subject: `answer ${path}`, value: () => jsonPathValue(path, [...records]) },
    responseTime: () => ({ subject: 'response time', value: () => total, unit: ' ms' }),
  }
}
