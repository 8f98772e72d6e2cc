import type { AlertPlan } from '../../alerts/decide/plan.ts'
import { type ReplayReport, replayQuestion } from '../../alerts/replay/replay-report.ts'
import { type ReplayedCheck, replayedChecks } from '../../alerts/replay/replay-stored.ts'
import { edgeInstant } from '../../analytics/window.ts'
import { utc } from '../../calendar/zone.ts'
import { refOf } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import { QueryTooLarge, type QuestionOptions, type Window } from '../../store/store.ts'
import { dayMs, isoText } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { instant, integer, type Parsed, readParams, text, timezone } from '../input/params.ts'
import { pageParams } from '../input/window-params.ts'
import { pageWithRange, rangeHeaders } from '../output/page-headers.ts'
import { ruleEntry } from '../output/rule-entry.ts'
import { alertReplaySchema, alertRuleSchema } from '../reference/alert-schemas.ts'
import { type Deps, type Doc, type Routes, runningAlerts } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'
import { createKeyedSlots } from '../server/concurrency-limit.ts'

const defaultDays = 30
const maxDays = 92
/** More could not be replayed within the time limit. */
const maxResults = 2_000_000
const maxChecks = 2000
const replaysInAll = 4
const retryAfterSeconds = 10

const replayParams = {
  rule: text({ description: 'Only messages of this rule.', maxLength: 128 }),
  from: instant({ description: `The first instant of the window; default: ${defaultDays} days before its end.` }),
  to: instant({ description: `The last instant of the window, at most ${maxDays} days after the first; default: now.` }),
  timezone: timezone(),
  limit: integer({ description: 'Maximum number of messages, the newest ones.', min: 1, max: 1000, otherwise: 100 }),
}

export const alertRuleRoutes: Routes = (app, deps) => {
  const { catalogue, clock, basePath } = deps
  const takeSlot = createKeyedSlots((limit, exceeded) => {
    const whose = exceeded === 'perKey' ? 'This account has' : 'All accounts together have'
    return apiError('TOO_MANY_REPLAYS', { limit, whose }, { 'retry-after': String(retryAfterSeconds) })
  })

  app.get('/v1/alert-rules', { config: { access: 'read', doc: listDoc } }, async (request, reply) => {
    const params = readParams(pageParams, request.query)
    const { id } = callerOf(request).account
    const { alerts } = catalogue.policies(id)
    const selected = deps.alerts?.plan(id)?.selected
    return pageWithRange(alerts, { ...params, request, reply, basePath }).map((rule) =>
      ruleEntry(rule, selected?.get(rule)?.length ?? null),
    )
  })

  app.get('/v1/alerts/replay', { config: { access: 'read', doc: replayDoc } }, async (request, reply) => {
    const params = readParams(replayParams, request.query)
    const { account } = callerOf(request)
    const window = windowOf(params, clock.now())
    const plan = runningAlerts(deps).plan(account.id)
    if (params.rule !== null && !plan?.rules.has(params.rule)) throw apiError('ALERT_RULE_NOT_FOUND')
    const release = takeSlot(account.id, { perKey: 1, inAll: replaysInAll })
    try {
      const report = plan ? await replayed(deps, { plan, window, params }, questionOptions(request, reply)) : nothing
      return { from: isoText(window.from), to: isoText(window.to), ...report }
    } finally {
      release()
    }
  })
}

const nothing: ReplayReport = { count: 0, rules: [], messages: [], notes: [] }

type ReplayRequest = { readonly plan: AlertPlan; readonly window: Window; readonly params: Parsed<typeof replayParams> }

async function replayed(
  { store, replayAlerts }: Deps,
  { plan, window, params }: ReplayRequest,
  options: QuestionOptions,
): Promise<ReplayReport> {
  const { account, policies } = plan
  const checks = replayedChecks(plan, window)
  if (checks.length > maxChecks)
    throw new QueryTooLarge(`the rules need the results of ${shown(checks.length)} checks, and at most ${shown(maxChecks)} are replayed`)
  await requireFew(store, checks, window, options)
  const sent = checks.map(({ check }) => check)
  const question = replayQuestion({ account, policies, checks: sent, window, rule: params.rule, limit: params.limit })
  return replayAlerts(question, options.signal ?? new AbortController().signal)
}

/** The count is a normal query: it is queued, charged to the key, and refused if it costs too much. */
async function requireFew(store: Deps['store'], checks: readonly ReplayedCheck[], { to }: Window, options: QuestionOptions): Promise<void> {
  const sources = checks.map(({ check }) => ({ check: refOf(check), columns: [], labels: [] }))
  const window = { from: Math.min(to, ...checks.map(({ from }) => from)), to }
  const whole = { filter: null, groupBy: [], figures: [], buckets: null, fill: null, histogram: null, groupPage: null }
  const { results } = await store.aggregate({ ...whole, sources, window, counts: true, rowPage: { offset: 0, limit: 1 } }, options)
  if (results > maxResults) throw new QueryTooLarge(`it has ${shown(results)} results, and at most ${shown(maxResults)} are replayed`)
}

const shown = (count: number) => count.toLocaleString('en-US')

function windowOf({ from: first, to: last, timezone: zone }: Parsed<typeof replayParams>, now: number): Window {
  const to = Math.min(now, last === null ? now : edgeInstant(last, 'to', zone ?? utc))
  const from = first === null ? Math.max(0, to - defaultDays * dayMs) : edgeInstant(first, 'from', zone ?? utc)
  if (from > to) throw apiError('INVALID_WINDOW')
  if (to - from > maxDays * dayMs) throw apiError('WINDOW_TOO_LONG', { limit: `${maxDays} days` })
  return { from, to }
}

const ruleExample = {
  id: 'shop',
  when: 'failing',
  certificateDays: [],
  slos: [],
  severity: 'critical',
  checks: [],
  tags: ['shop'],
  subscription: null,
  checkCount: 3,
  after: { runs: 2, seconds: null },
  recoverAfter: { runs: 1, seconds: null },
  quorum: 1,
  steps: [
    { afterSeconds: 0, to: ['chat'], during: null, outside: 'hold' },
    { afterSeconds: 600, to: ['on-call'], during: 'night', outside: 'drop' },
  ],
  remind: { everySeconds: 1800, times: 3 },
  group: { by: 'none', waitSeconds: 0 },
}

const listDoc: Doc = {
  group: 'Alerts',
  summary: 'The alert rules of the account',
  description: 'Those of the config file in its order, with defaults; then those of managed channels for their subscribed checks.',
  query: pageParams,
  answer: {
    description: 'A page of rules; empty past the end.',
    schema: { type: 'array', items: alertRuleSchema },
    example: [ruleExample],
    headers: rangeHeaders,
  },
}

const replayDoc: Doc = {
  group: 'Alerts',
  summary: 'Replay alert rules',
  description: `Replays stored results through the rules of the config file, as \`tidemark alert replay\` does: the messages that channels would have received, \
had the rules been in force and every channel answered. Silences, acknowledgements and canaries are applied as they were recorded; notes say what is not known. \
It can be slow: one replay per account at a time, and more than ${maxResults.toLocaleString('en-US')} results, or ${maxChecks.toLocaleString('en-US')} checks, are refused.`,
  query: replayParams,
  answer: {
    description: 'Number of messages in total and by rule, and the last of them, oldest first.',
    schema: alertReplaySchema,
    example: {
      from: '2026-10-15T10:00:00.000Z',
      to: '2026-11-14T10:00:00.000Z',
      count: 1,
      rules: [{ rule: 'all', messages: 1 }],
      messages: [
        {
          at: '2026-11-14T03:12:01.340Z',
          channel: 'ops',
          event: 'open',
          condition: 'failing',
          severity: 'critical',
          rule: 'all',
          title: 'Shop is failing',
          reason: 'status 503, expected 200',
          checks: ['shop'],
          subjectCount: 1,
        },
      ],
      notes: ['Whether eu-1 could reach its canaries is known from 2026-11-02T08:00:00.000Z on: before, it counts as reachable.'],
    },
  },
  errors: [
    'INVALID_WINDOW',
    'WINDOW_TOO_LONG',
    'UNKNOWN_TIMEZONE',
    'ALERT_RULE_NOT_FOUND',
    'QUERY_TOO_LARGE',
    'TOO_MANY_REPLAYS',
    'UNAVAILABLE',
    'ALERTS_OFF',
  ],
}
