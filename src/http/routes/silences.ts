import type { Silence } from '../../alerts/decide/model.ts'
import { edgeInstant } from '../../analytics/window.ts'
import { utc } from '../../calendar/zone.ts'
import { Duration, durationMs } from '../../checks/duration.ts'
import { apiError } from '../../errors.ts'
import { dayMs } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { array, type Body, decoded, fieldOf, invalid, objectSchema, optional, readObject, string, withDefault } from '../input/fields.ts'
import { findCheck, readId } from '../input/find-check.ts'
import { readParams } from '../input/params.ts'
import { edgeField } from '../input/time-fields.ts'
import { pageParams } from '../input/window-params.ts'
import { silenceEntry } from '../output/alert-entry.ts'
import { pageWithRange, rangeHeaders } from '../output/page-headers.ts'
import { silenceSchema } from '../reference/alert-schemas.ts'
import { type Doc, type Routes, runningAlerts, unusedBodyErrors } from '../route.ts'

const maxSilences = 1000
const maxDays = 90
const maxBodyBytes = 65_536

const fields = {
  checks: withDefault(array(string('the id of a check', 128), { max: 100 }), []),
  tags: withDefault(array(string('a tag'), { max: 20 }), []),
  from: optional(edgeField),
  to: optional(edgeField),
  duration: optional(decoded(fieldOf(Duration, 'a duration such as 30m, 2h or 7d'), durationMs)),
  comment: withDefault(string('text', 500), ''),
}

export const silenceRoutes: Routes = (app, deps) => {
  app.get('/v1/silences', { config: { access: 'read', doc: listDoc } }, async (request, reply) => {
    const params = readParams(pageParams, request.query)
    const all = runningAlerts(deps).silences(callerOf(request).account.id)
    return pageWithRange(all, { ...params, request, reply, basePath: deps.basePath }).map(silenceEntry)
  })

  app.post('/v1/silences', { bodyLimit: maxBodyBytes, config: { access: 'operate', doc: addDoc } }, async (request, reply) => {
    readParams({}, request.query)
    const { checks, tags, comment, ...times } = readObject(fields, request.body)
    for (const id of checks) findCheck(deps.catalogue, request, readId(id))
    const { account, key } = callerOf(request)
    rejectUnknownTags(tags, deps.catalogue.checks(account.id))
    const alerts = runningAlerts(deps)
    const span = spanOf(times, deps.clock.now())
    rejectMany(alerts.silences(account.id), deps.clock.now())
    const added = await alerts.silence({ account: account.id, checks, tags, ...span, by: key.name, comment })
    return reply.code(201).send(silenceEntry(added))
  })

  app.delete('/v1/silences/:id', { config: { access: 'operate', doc: endDoc } }, async (request, reply) => {
    readParams({}, request.query)
    const { id } = request.params as { readonly id: string }
    if (!(await runningAlerts(deps).endSilence(callerOf(request).account.id, id))) throw apiError('SILENCE_NOT_FOUND')
    return reply.code(204).send()
  })
}

/** A tag that no check has is most likely a typo. */
function rejectUnknownTags(tags: readonly string[], checks: readonly { readonly tags: readonly string[] }[]): void {
  const known = new Set(checks.flatMap((check) => check.tags))
  const index = tags.findIndex((tag) => !known.has(tag))
  if (index >= 0) throw invalid(`tags[${index}]`, 'a tag that a check of the account has')
}

function rejectMany(silences: readonly Silence[], now: number): void {
  if (silences.length < maxSilences) return
  const seconds = Math.max(1, Math.ceil((Math.min(...silences.map(({ to }) => to)) - now) / 1000))
  throw apiError('TOO_MANY_SILENCES', { limit: maxSilences }, { 'retry-after': String(seconds) })
}

type Times = Pick<Body<typeof fields>, 'from' | 'to' | 'duration'>

function spanOf({ from: first, to: last, duration: lengthMs }: Times, now: number) {
  if ((last === null) === (lengthMs === null)) throw apiError('MISSING_PARAMETER', { name: 'to', expected: 'either to or duration' })
  const from = first === null ? now : edgeInstant(first, 'from', utc)
  const to = last === null ? from + (lengthMs ?? 0) : edgeInstant(last, 'to', utc)
  if (to <= from) throw apiError('INVALID_WINDOW')
  if (to <= now) throw invalid('to', 'in the future')
  if (to > now + maxDays * dayMs) throw invalid('to', `at most ${maxDays} days ahead`)
  return { from, to }
}

const example = {
  id: 'c2a0f1c4-8f43-4f0e-b0a4-0d7b6d7f3c55',
  checks: [],
  tags: ['shop'],
  from: '2026-11-14T03:15:00.000Z',
  to: '2026-11-14T05:15:00.000Z',
  by: 'ann',
  comment: 'The database moves.',
}

const listDoc: Doc = {
  group: 'Alerts',
  summary: 'Active and future silences',
  query: pageParams,
  answer: {
    description: 'A page of silences, in order of creation; empty past the end.',
    schema: { type: 'array', items: silenceSchema },
    example: [example],
    headers: rangeHeaders,
  },
  errors: ['ALERTS_OFF'],
}
const addDoc: Doc = {
  group: 'Alerts',
  summary: 'Silence checks for a time',
  description:
    'Silences checks with any of these ids and any of these tags; without either, all. When it ends, channels get pending notifications.',
  query: {},
  body: {
    description: `Either to or duration, at most ${maxDays} days ahead. Without from, it begins now.`,
    mediaType: 'application/json',
    schema: objectSchema(fields),
    example: { tags: ['shop'], duration: '2h', comment: 'The database moves.' },
  },
  answer: { status: 201, description: 'The silence.', schema: silenceSchema, example },
  errors: [
    'INVALID_ID',
    'CHECK_NOT_FOUND',
    'INVALID_BODY',
    'UNKNOWN_PROPERTY',
    'INVALID_PARAMETER',
    'MISSING_PARAMETER',
    'INVALID_WINDOW',
    'TOO_MANY_SILENCES',
    'MALFORMED_REQUEST',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'ALERTS_OFF',
  ],
}
const endDoc: Doc = {
  group: 'Alerts',
  summary: 'End a silence',
  path: { id: { type: 'string', description: 'The id of a silence of your account.' } },
  query: {},
  answer: { status: 204, description: 'It is over.' },
  errors: ['SILENCE_NOT_FOUND', 'ALERTS_OFF', ...unusedBodyErrors],
}
