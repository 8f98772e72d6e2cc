import { failureMessage } from '../failures.ts'
import { judgeInline, type Verdict } from '../judge/judge.ts'
import { redactor } from '../redact.ts'
import type { Measured, RunContext } from '../run.ts'
import type { Assertion } from '../settings.ts'
import { bodyLimit } from './decompress.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'
import type { httpMetrics } from './http-metrics.ts'
import { httpWatch } from './http-watch.ts'
import { responseJudge } from './judge-response.ts'
import { receivedResponse } from './received-response.ts'
import { exchangeFollowing } from './redirects.ts'

type HttpCheck = {
  readonly request: HttpRequest
  readonly followRedirects: boolean
  readonly shouldFail: boolean
  readonly assertions: readonly Assertion[]
}

/** Sends the request once, measures its phases and evaluates the response. */
export async function httpCheck(check: HttpCheck, context: RunContext): Promise<Measured<typeof httpMetrics>> {
  const watch = httpWatch()
  const redact = redactor(context.secrets)
  const notes: string[] = []
  const daysRemaining: number[] = []
  const options = {
    watch,
    context,
    followRedirects: check.followRedirects,
    onCertificate: (days: number) => void daysRemaining.push(days),
    onRedirect: (note: string) => void notes.push(redact(note)),
  }
  try {
    const response = await exchangeFollowing(check.request, options)
    if (response.truncated) notes.push(`the body is longer than ${bodyLimit.toLocaleString('en-US')} bytes: the rest was not read`)
    const { failure, assertions } = await judged(
      check,
      { ...response, responseTime: watch.total(), certificateDays: minimum(daysRemaining) },
      context,
    )
    const fields = { statusCode: response.status, sslDaysRemaining: minimum(daysRemaining) }
    const received = context.keepsReceived ? await receivedResponse(response, context.secrets) : null
    return { metrics: { responseTime: watch.total(), ...watch.phases() }, fields, failure, broken: false, assertions, notes, received }
  } catch (error) {
    const failure = redact(failureMessage(error, watch.at(), context))
    const fields = { statusCode: null, sslDaysRemaining: minimum(daysRemaining) }
    return { metrics: { responseTime: null, ...watch.phases() }, fields, failure, broken: true, notes }
  }
}

function minimum(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values)
}

type MeasuredResponse = HttpResponse & { readonly responseTime: number; readonly certificateDays: number | null }

function judged({ assertions, shouldFail }: HttpCheck, response: MeasuredResponse, context: RunContext): Promise<Verdict> {
  const { status, headers, body, responseTime, certificateDays } = response
  const judge = assertions.some(isAboutContent) ? context.judge : judgeInline
  const { secrets } = context
  return judge(responseJudge, { status, headers, body, responseTime, certificateDays, assertions, shouldFail, secrets })
}

/** Whether the target controls the amount of data to evaluate. */
const isAboutContent = ({ source }: Assertion) => !['statusCode', 'responseTime', 'certificateDays'].includes(source)
