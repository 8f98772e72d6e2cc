import type { IncomingHttpHeaders } from 'node:http'
import type { JSONValue } from 'json-p3'
import { type Asserted, assertAll, type Observe } from '../assert/assertions.ts'
import { jsonPathValue } from '../assert/json-path.ts'
import { failureMessage, ProbeFault } from '../failures.ts'
import { redactor } from '../redact.ts'
import type { Measured, RunContext } from '../run.ts'
import type { Assertion } from '../settings.ts'
import { bodyLimit, type HttpRequest, type HttpResponse, httpWatch } from './exchange.ts'
import type { httpMetrics } from './http-metrics.ts'
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
    if (response.truncated) notes.push(`the body is longer than ${bodyLimit.toLocaleString('en-US')} bytes: reading ended there`)
    const { outcomes, failure } = evaluate(check, response, watch.total(), redact)
    const fields = { statusCode: response.status, sslDaysRemaining: minimum(daysRemaining) }
    return { metrics: { responseTime: watch.total(), ...watch.phases() }, fields, failure, broken: false, assertions: outcomes, notes }
  } catch (error) {
    const failure = redact(failureMessage(error, watch.at(), context))
    const fields = { statusCode: null, sslDaysRemaining: minimum(daysRemaining) }
    return { metrics: { responseTime: null, ...watch.phases() }, fields, failure, broken: true, notes }
  }
}

function minimum(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values)
}

function evaluate(
  { assertions, shouldFail }: HttpCheck,
  response: HttpResponse,
  responseTime: number,
  redact: (text: string) => string,
): Asserted {
  const { outcomes, failure } = assertAll(assertions, sourcesOf(response, responseTime), redact)
  return { outcomes, failure: failure ?? unexpectedStatus(response.status, shouldFail, assertions) }
}

/** Without an assertion about the status, 400 and above is a failure; with `shouldFail`, anything below is. */
function unexpectedStatus(status: number, shouldFail: boolean, assertions: readonly Assertion[]): string | null {
  if (shouldFail) return status < 400 ? `status ${status}, expected 400 or more` : null
  if (assertions.some(({ source }) => source === 'statusCode')) return null
  return status < 400 ? null : `status ${status}, expected less than 400`
}

function sourcesOf({ status, headers, body }: HttpResponse, responseTime: number): Readonly<Record<string, Observe>> {
  const text = () => body.toString('utf8')
  let document: { readonly value: JSONValue } | undefined
  const json = () => {
    document ??= { value: parsed(body) }
    return document.value
  }
  return {
    statusCode: () => ({ subject: 'status', value: () => status }),
    headers: (name) =>
      name ? { subject: `header ${name}`, value: () => headerValue(headers, name) } : { subject: 'headers', value: () => headers },
    textBody: () => ({ subject: 'body', value: text }),
    jsonBody: (path = '$') => ({ subject: `JSON body ${path}`, value: () => jsonPathValue(path, json()) }),
    responseTime: () => ({ subject: 'response time', value: () => responseTime, unit: ' ms' }),
  }
}

function headerValue(headers: IncomingHttpHeaders, name: string): string | null {
  const value = Object.hasOwn(headers, name.toLowerCase()) ? headers[name.toLowerCase()] : undefined
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

/** A JSONPath over a long document would block every other run. */
const jsonLimit = 1024 * 1024

function parsed(body: Buffer): JSONValue {
  const limit = jsonLimit.toLocaleString('en-US')
  if (body.length > jsonLimit) throw new ProbeFault(`the body is longer than the ${limit} bytes that are read as JSON`)
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new ProbeFault('the body is not JSON')
  }
}
