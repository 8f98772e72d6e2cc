import { checkListed, checkScheduleDays } from '../../analytics/schedule-limits.ts'
import { chooseWindow } from '../../analytics/window.ts'
import { occurrences } from '../../calendar/schedule.ts'
import { type MaintenancePolicy, selector } from '../../catalogue/policies/policies.ts'
import type { Window } from '../../store/store.ts'
import { isoText } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { chooseChecks } from '../input/find-check.ts'
import { list, readParams } from '../input/params.ts'
import { windowParams } from '../input/window-params.ts'
import { maintenanceSchema } from '../reference/account-schemas.ts'
import type { Doc, Routes } from '../route.ts'

const params = { checkId: list({ description: 'Maintenance of these checks only; default: all.' }), ...windowParams }

const doc: Doc = {
  group: 'SLOs',
  summary: 'Past and future maintenance',
  description:
    'Every occurrence in the window of maintenances from the config file or the API, not truncated; the window may be in the future.',
  query: params,
  answer: {
    description: 'By start; those of the same start in the order of the config file, before managed ones.',
    schema: { type: 'array', items: maintenanceSchema },
    example: [
      { name: 'Database move', from: '2026-11-20T21:00:00.000Z', to: '2026-11-21T01:00:00.000Z', checkIds: ['checkout', 'homepage'] },
    ],
  },
  errors: ['INVALID_ID', 'INVALID_WINDOW', 'UNKNOWN_TIMEZONE', 'QUERY_TOO_LARGE', 'CHECK_NOT_FOUND'],
}

export const maintenanceRoutes: Routes = (app, { catalogue, clock }) => {
  app.get('/v1/maintenance', { config: { access: 'read', doc } }, async (request) => {
    const { checkId, ...asked } = readParams(params, request.query)
    const window = chooseWindow(asked, clock.now())
    const checks = chooseChecks(catalogue, request, { checkId, tag: [] })
    const chosen = catalogue
      .policies(callerOf(request).account.id)
      .maintenance.map((policy) => ({ policy, checkIds: checks.filter(selector(policy)).map(({ id }) => id) }))
      .filter(({ checkIds }) => checkId.length === 0 || checkIds.length > 0)
    checkScheduleDays(
      chosen.map(({ policy }) => policy),
      window,
    )
    const entries = chosen.flatMap(({ policy, checkIds }) => entriesOf(policy, window).map((entry) => ({ ...entry, checkIds })))
    checkListed(entries.reduce((sum, { checkIds }) => sum + 1 + checkIds.length, 0))
    return entries.toSorted((a, b) => (a.from < b.from ? -1 : Number(a.from > b.from)))
  })
}

function entriesOf(policy: MaintenancePolicy, window: Window) {
  return occurrences(policy, window).map(({ from, to }) => ({ name: policy.name, from: isoText(from), to: isoText(to) }))
}
