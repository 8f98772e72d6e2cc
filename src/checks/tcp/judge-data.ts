import { assertAll } from '../probe/assert/assertions.ts'
import type { Judge, Verdict } from '../probe/judge/judge.ts'
import { redactor } from '../probe/redact.ts'
import type { Assertion } from '../probe/settings.ts'

type ReceivedData = {
  readonly received: string
  readonly responseTime: number
  readonly assertions: readonly Assertion[]
  readonly secrets: readonly string[]
}

export const dataJudge: Judge<ReceivedData> = { module: import.meta.url, judge }

export function judge({ received, responseTime, assertions, secrets }: ReceivedData): Verdict {
  const sources = {
    responseData: () => ({ subject: 'response data', value: () => received }),
    responseTime: () => ({ subject: 'response time', value: () => responseTime, unit: ' ms' }),
  }
  const { outcomes, failure } = assertAll(assertions, sources, redactor(secrets))
  return { failure, assertions: outcomes }
}
