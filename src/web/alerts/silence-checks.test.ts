import { expect, test } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import type { Alert } from '../api/answers.ts'
import { createApi } from '../api/client.ts'
import { silenceChecks } from './silence-checks.ts'

const api = createApi({ key: 'the-key', account: 'acme' })
const { signal } = new AbortController()
const alertOf = (checks: readonly string[], more: object = {}) =>
  ({
    id: 'alert',
    memberCount: checks.length,
    members: checks.map((checkId) => ({ checkId, endedBy: null })),
    ...more,
  }) as unknown as Alert

test('all checks of an alert with many members are silenced', async () => {
  const checks = Array.from({ length: 230 }, (_, index) => `check-${index}`)
  const asked = answerPage(({ path }) => (path === '/v1/alerts/alert' ? alertOf(checks) : {}))
  expect(await silenceChecks(api, alertOf(checks.slice(0, 20), { memberCount: 230 }), { duration: '1h' }, signal)).toBe(230)
  const bodies = asked.slice(1).map(({ body }) => body as { readonly checks: readonly string[]; readonly duration: string })
  expect(bodies.map(({ duration }) => duration)).toEqual(['1h', '1h', '1h'])
  expect(bodies.flatMap((body) => body.checks)).toEqual(checks)
})

test('a check that was removed since does not keep the others from being silenced', async () => {
  const asked = answerPage(() => ({}))
  const members = [
    { checkId: 'shop', endedBy: null },
    { checkId: 'gone', endedBy: 'removed' },
    { checkId: 'mail', endedBy: 'recovered' },
  ]
  expect(await silenceChecks(api, alertOf([], { memberCount: 3, members }), { to: '2026-11-20T00:00:00.000Z' }, signal)).toBe(2)
  expect(asked.map(({ body }) => body)).toEqual([{ checks: ['shop', 'mail'], to: '2026-11-20T00:00:00.000Z' }])
})

test('a check that recovered before it was removed does not either', async () => {
  const gone = 'gone'
  const asked = answerPage(({ path, body }) => {
    const { checks = [], checkIds = [] } = body as { readonly checks?: readonly string[]; readonly checkIds?: readonly string[] }
    if (path === '/v1/analytics/checks') return checkIds.filter((id) => id !== gone).map((checkId) => ({ checkId }))
    return checks.includes(gone) ? Response.json({ message: 'There is none.', code: 'CHECK_NOT_FOUND' }, { status: 404 }) : {}
  })
  expect(await silenceChecks(api, alertOf(['shop', gone]), { duration: '1h' }, signal)).toBe(1)
  expect(asked.at(-1)?.body).toEqual({ checks: ['shop'], duration: '1h' })
  expect(await silenceChecks(api, alertOf([gone]), { duration: '1h' }, signal)).toBe(0)
})
