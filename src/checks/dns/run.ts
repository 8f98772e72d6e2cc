import type { Static } from 'typebox'
import { assertAll, type Observe } from '../probe/assert/assertions.ts'
import { jsonPathValue } from '../probe/assert/json-path.ts'
import { failureWords } from '../probe/failures.ts'
import { stopwatch } from '../probe/net/stopwatch.ts'
import { redactor } from '../probe/redact.ts'
import type { Run } from '../probe/run.ts'
import { ask } from './ask.ts'
import { type DnsAnswer, encodeQuestion, readAnswer } from './message.ts'
import { nameServerOf } from './name-server.ts'
import type { DnsSettings, metrics } from './shape.ts'

export const run: Run<Static<typeof DnsSettings>, typeof metrics> = async ({ request }, context) => {
  const watch = stopwatch(['total'])
  const notes: string[] = []
  const { recordType = 'A', protocol = 'UDP', assertions = [] } = request
  try {
    const question = encodeQuestion(request.query, recordType)
    const server = await nameServerOf(request, context)
    watch.start('total', 'query')
    const message = await ask(question, { server, protocol, signal: context.signal, onNote: (note) => notes.push(note) })
    watch.stop()
    const answer = readAnswer(message)
    notes.push(...answer.records.map(({ name, ttl, type, data }) => `${name} ${ttl} ${type} ${data}`))
    const { outcomes, failure } = assertAll(assertions, sourcesOf(answer, recordType, watch.total()), redactor(context.secrets))
    const unasked = assertions.some(({ source }) => source === 'responseCode') ? null : unexpectedCode(answer)
    return { metrics: { total: watch.total() }, failure: failure ?? unasked, broken: false, assertions: outcomes, notes }
  } catch (error) {
    return { metrics: { total: null }, failure: failureWords(error, watch.at() || 'DNS lookup', context), broken: true, notes }
  }
}

function unexpectedCode({ code }: DnsAnswer): string | null {
  return code === 'NOERROR' ? null : `response code ${code}, expected NOERROR`
}

/** An answer is the data of its records of the type asked for, or by a JSONPath what it finds in the list of all its records. */
function sourcesOf({ code, records }: DnsAnswer, recordType: string, total: number): Readonly<Record<string, Observe>> {
  const found = records.filter(({ type }) => type === recordType).map(({ data }) => data)
  return {
    responseCode: () => ({ subject: 'response code', value: () => code }),
    answer: (path) =>
      path === undefined
        ? { subject: 'answer', value: () => (found.length > 1 ? found : (found[0] ?? null)) }
        : { subject: `answer ${path}`, value: () => jsonPathValue(path, [...records]) },
    responseTime: () => ({ subject: 'response time', value: () => total, unit: ' ms' }),
  }
}
