import type { Check } from '../catalogue/catalogue.ts'
import type { Metrics } from '../checks/metric.ts'
import type { Received } from '../checks/probe/received.ts'
import { redactor } from '../checks/probe/redact.ts'
import type { Measured } from '../checks/probe/run.ts'

type HasSecrets = Pick<Check, 'checkType' | 'settings' | 'secrets'>

/** The secrets of a check: values of environment variables in its settings, and those that its type declares. */
export function secretsOf({ checkType, settings, secrets }: HasSecrets): readonly string[] {
  return [...secrets, ...(checkType.secrets?.(settings) ?? [])]
}

export function redactResult(measured: Measured<Metrics>, check: HasSecrets): Measured<Metrics> {
  const redact = redactor(secretsOf(check))
  const { failure, pages, assertions, notes, received, steps } = measured
  return {
    ...measured,
    failure: failure === null ? null : redact(failure),
    ...(pages && { pages: pages.map((page) => ({ ...page, pageUrl: redact(page.pageUrl) })) }),
    ...(assertions && {
      assertions: assertions.map(({ text, passed, actual }) => ({ text: redact(text), passed, actual: redact(actual) })),
    }),
    ...(notes && { notes: notes.map(redact) }),
    ...(received && { received: redactReceived(received, redact) }),
    ...(steps && {
      steps: steps.map(({ title, durationMs, error }) => ({
        title: redact(title),
        durationMs,
        error: error === null ? null : redact(error),
      })),
    }),
  }
}

function redactReceived(received: Received, redact: (text: string) => string): Received {
  return {
    ...received,
    headers: received.headers.map(({ name, value }) => ({ name: redact(name), value: redact(value) })),
    body: received.body === null ? null : redact(received.body),
  }
}

/** An error that is safe to log: name, message and stack, redacted. Other properties are dropped, since they may hold secrets. */
export function redactError(error: unknown, check: HasSecrets): Error {
  const redact = redactor(secretsOf(check))
  const redacted = new Error(redact(error instanceof Error ? error.message : String(error)))
  if (error instanceof Error) Object.assign(redacted, { name: error.name, stack: redact(error.stack ?? '') })
  return redacted
}
