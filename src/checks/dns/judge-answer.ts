import { assertAll, type Observe } from '../probe/assert/assertions.ts'
import { jsonPathValue } from '../probe/assert/json-path.ts'
import type { Judge, Verdict } from '../probe/judge/judge.ts'
import { redactor } from '../probe/redact.ts'
import type { Assertion } from '../probe/settings.ts'
import { type DnsAnswer, parseAnswer } from './message.ts'

type ReceivedAnswer = {
  readonly message: Uint8Array
  readonly recordType: string
  readonly total: number
  readonly assertions: readonly Assertion[]
  readonly secrets: readonly string[]
}

export const answerJudge: Judge<ReceivedAnswer> = { module: import.meta.url, judge }

/** Evaluates the assertions and the response code of an answer; its records become notes. */
export function judge({ message, recordType, total, assertions, secrets }: ReceivedAnswer): Verdict {
  const answer = parseAnswer(Buffer.from(message))
  const { outcomes, failure } = assertAll(assertions, sourcesOf(answer, recordType, total), redactor(secrets))
  const unasked = assertions.some(({ source }) => source === 'responseCode') ? null : unexpectedCode(answer)
  const notes = answer.records.map(({ name, ttl, type, data }) => `${name} ${ttl} ${type} ${data}`)
  return { failure: failure ?? unasked, assertions: outcomes, notes }
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
