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

test.each(['removed', 'recovered'])(
  'a check that was removed, whose last state is %s, does not keep the others from being silenced',
  async (endedBy) => {
    const gone = 'gone'
    const asked = answerPage(({ path, body }) => {
      const { checks = [], checkIds = [] } = body as { readonly checks?: readonly string[]; readonly checkIds?: readonly string[] }
      if (path === '/v1/analytics/checks') return checkIds.filter((id) => id !== gone).map((checkId) => ({ checkId }))
      return checks.includes(gone) ? Response.json({ message: 'There is none.', code: 'CHECK_NOT_FOUND' }, { status: 404 }) : {}
    })
    const members = [
      { checkId: 'shop', endedBy: null },
      { checkId: gone, endedBy },
      { checkId: 'mail', endedBy: 'recovered' },
    ]
    const times = { to: '2026-11-20T00:00:00.000Z' }
    expect(await silenceChecks(api, alertOf([], { memberCount: 3, members }), times, signal)).toBe(2)
    expect(asked.at(-1)?.body).toEqual({ checks: ['shop', 'mail'], ...times })
    expect(await silenceChecks(api, alertOf([gone]), times, signal)).toBe(0)
  },
)
