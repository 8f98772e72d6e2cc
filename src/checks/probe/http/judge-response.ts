import type { IncomingHttpHeaders } from 'node:http'
import type { JSONValue } from 'json-p3'
import { assertAll, type Observe } from '../assert/assertions.ts'
import { jsonPathValue } from '../assert/json-path.ts'
import { ProbeFault } from '../failures.ts'
import type { Judge, Verdict } from '../judge/judge.ts'
import { redactor } from '../redact.ts'
import type { Assertion } from '../settings.ts'
import { decompressed } from './decompress.ts'

type ReceivedResponse = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** As it was received, possibly compressed. */
  readonly body: Uint8Array
  readonly responseTime: number
  /** Days until the first certificate expires; null without TLS. */
  readonly certificateDays: number | null
  readonly assertions: readonly Assertion[]
  readonly shouldFail: boolean
  readonly secrets: readonly string[]
}

export const responseJudge: Judge<ReceivedResponse> = { module: import.meta.url, judge }

/** Evaluates the assertions and the status of a response. */
export function judge(response: ReceivedResponse): Verdict {
  const { outcomes, failure } = assertAll(response.assertions, sourcesOf(response), redactor(response.secrets))
  return { failure: failure ?? unexpectedStatus(response), assertions: outcomes }
}

/** Without an assertion about the status, 400 and above is a failure; with `shouldFail`, anything below is. */
function unexpectedStatus({ status, shouldFail, assertions }: ReceivedResponse): string | null {
  if (shouldFail) return status < 400 ? `status ${status}, expected 400 or more` : null
  if (assertions.some(({ source }) => source === 'statusCode')) return null
  return status < 400 ? null : `status ${status}, expected less than 400`
}

function sourcesOf({ status, headers, body, responseTime, certificateDays }: ReceivedResponse): Readonly<Record<string, Observe>> {
  const content = once(() => decompressed(Buffer.from(body), headers['content-encoding']))
  const json = once(() => parsed(content()))
  return {
    statusCode: () => ({ subject: 'status', value: () => status }),
    headers: (name) =>
      name ? { subject: `header ${name}`, value: () => headerValue(headers, name) } : { subject: 'headers', value: () => headers },
    textBody: () => ({ subject: 'body', value: () => content().toString('utf8') }),
    jsonBody: (path = '$') => ({ subject: `JSON body ${path}`, value: () => jsonPathValue(path, json()) }),
    certificateDays: () => ({ subject: 'certificate days left', value: () => certificateDays }),
    responseTime: () => ({ subject: 'response time', value: () => responseTime, unit: ' ms' }),
  }
}

function once<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | undefined
  return () => {
    computed ??= { value: compute() }
    return computed.value
  }
}

function headerValue(headers: IncomingHttpHeaders, name: string): string | null {
  const value = Object.hasOwn(headers, name.toLowerCase()) ? headers[name.toLowerCase()] : undefined
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

const jsonLimit = 1024 * 1024

function parsed(body: Buffer): JSONValue {
  const limit = jsonLimit.toLocaleString('en-US')
  if (body.length > jsonLimit) throw new ProbeFault(`the body is longer than the ${limit} bytes that can be parsed as JSON`)
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new ProbeFault('the body is not JSON')
  }
}
