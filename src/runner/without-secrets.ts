import type { Check } from '../catalogue/catalogue.ts'
import type { Metrics } from '../checks/define.ts'
import { hider } from '../checks/probe/redact.ts'
import type { Measured } from '../checks/probe/run.ts'

/** What was measured, with the secrets of its check made unreadable in every word of it. */
export function withoutSecrets(measured: Measured<Metrics>, { secrets }: Pick<Check, 'secrets'>): Measured<Metrics> {
  if (secrets.length === 0) return measured
  const hide = hider(secrets)
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
export function errorWithoutSecrets(error: unknown, { secrets }: Pick<Check, 'secrets'>): unknown {
  const hide = hider(secrets)
  if (!(error instanceof Error)) return hide(String(error))
  const told = new Error(hide(error.message))
  told.name = error.name
  told.stack = hide(error.stack ?? '')
  return told
}
