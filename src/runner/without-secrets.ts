import type { Check } from '../catalogue/catalogue.ts'
import type { Metrics } from '../checks/metric.ts'
import { redactor } from '../checks/probe/redact.ts'
import type { Measured } from '../checks/probe/run.ts'

type Secretive = Pick<Check, 'checkType' | 'settings' | 'secrets'>

/** What no run of a check may show: what variables put into it, and what its type keeps secret. */
export function secretsOf({ checkType, settings, secrets }: Secretive): readonly string[] {
  return [...secrets, ...(checkType.secrets?.(settings) ?? [])]
}

/** What was measured, with the secrets of its check made unreadable in every word of it. */
export function withoutSecrets(measured: Measured<Metrics>, check: Secretive): Measured<Metrics> {
  const hide = redactor(secretsOf(check))
  const { failure, pages, assertions, notes } = measured
  return {
    ...measured,
    failure: failure === null ? null : hide(failure),
    ...(pages && { pages: pages.map((page) => ({ ...page, pageUrl: hide(page.pageUrl) })) }),
    ...(assertions && { assertions: assertions.map(({ text, passed, actual }) => ({ text: hide(text), passed, actual: hide(actual) })) }),
    ...(notes && { notes: notes.map(hide) }),
  }
}

/** An error as it may be logged: what it carries beside its words is left out, since it may be the secrets themselves. */
export function errorWithoutSecrets(error: unknown, check: Secretive): Error {
  const hide = redactor(secretsOf(check))
  const told = new Error(hide(error instanceof Error ? error.message : String(error)))
  if (error instanceof Error) Object.assign(told, { name: error.name, stack: hide(error.stack ?? '') })
  return told
}
