import { cronFault } from '../../../calendar/cron.ts'
import { findZone } from '../../../calendar/zone.ts'
import { asJobCheck, type ConvertedCheck } from '../../../checks/converted.ts'
import { isMapping } from '../../../collections/mapping.ts'
import { idGrammar } from '../../../ids/id-grammar.ts'
import { sha256 } from '../../../ids/sha256.ts'
import { CommandFailure } from '../../context.ts'
import type { ConversionDraft } from '../draft.ts'
import { configDuration } from '../durations.ts'
import { fieldsOf, type InputFields, plainText, unreadLines } from '../fields.ts'
import { inputFiles, jsonInput } from '../read-input.ts'
import type { ConvertSource } from '../source.ts'
import { literalText } from '../written-text.ts'

const maxChecks = 100_000
/** Limit of a description, with room for escapes. */
const maxDescription = 5000

/** Healthchecks, hosted or self-hosted. */
export const healthchecks: ConvertSource = {
  from: 'healthchecks',
  reads: 'the JSON of GET /api/v3/checks/ of Healthchecks, and optionally of /api/v3/channels/',
  async convert({ files, draft }) {
    const bodies: unknown[] = []
    for (const file of await inputFiles(files, /\.json$/i)) bodies.push(await jsonInput(file))
    const listed = (name: string) =>
      bodies.filter(isMapping).flatMap((body) => (Array.isArray(body[name]) ? body[name].filter(isMapping) : []))
    const checks = listed('checks')
    if (!bodies.some((body) => isMapping(body) && Array.isArray(body.checks)))
      throw new CommandFailure('Not a response of Healthchecks: expected an object with a list named checks.')
    if (checks.length > maxChecks) throw new CommandFailure(`There are more than ${maxChecks} checks.`)
    const channels = new Map(
      listed('channels').map(({ id, name, kind }) => [plainText(id), `${plainText(name) || 'unnamed'} (${plainText(kind)})`]),
    )
    // Checks with a slug go first, so that their slugs are free as ids.
    const isFirst = ({ slug }: Readonly<Record<string, unknown>>) => plainText(slug) !== ''
    for (const check of [...checks.filter(isFirst), ...checks.filter((one) => !isFirst(one))]) oneJob(check, draft)
    reportPingKey(checks, draft)
    reportChannels(checks, channels, draft)
    return null
  },
}

/** Response fields that are not settings. */
const notSettings = [
  'n_pings',
  'status',
  'started',
  'last_ping',
  'next_ping',
  'last_duration',
  'unique_key',
  'uuid',
  'ping_url',
  'update_url',
  'pause_url',
  'resume_url',
  'badge_url',
  'channels',
  // Former names of success_kw and failure_kw.
  'subject',
  'subject_fail',
]

const reasons: Readonly<Record<string, string>> = {
  manual_resume: 'Resume a paused check in the config file.',
  methods: 'Pings are accepted with GET, POST and HEAD.',
}

function oneJob(row: Readonly<Record<string, unknown>>, draft: ConversionDraft): void {
  const fields = fieldsOf(row)
  fields.skip(...notSettings)
  const slug = fields.text('slug')
  const name = fields.text('name') || slug || 'unnamed'
  const item = name
  const converted = jobOf(row, fields)
  if ('leftOut' in converted) {
    draft.leftOut(item, converted.leftOut)
    return
  }
  const tags = fields.text('tags').split(/\s+/)
  const description = fields.text('desc').trim().slice(0, maxDescription)
  const settings = {
    ...converted.check,
    ...(row.status === 'paused' && { activated: false }),
    ...(description !== '' && { description: literalText(description) }),
  }
  const id = draft.addCheck({ item, name, ...(idGrammar.test(slug) && { id: slug }), tags, settings })
  if (id === null) return
  draft.report(...unreadLines(fields, item, reasons))
  if (slug !== '' && id !== slug) draft.changed(item, 'slug', `Another check has the slug ${slug}: by slug, it is pinged as ${id}.`)
}

const uuidAtEnd = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

function jobOf(
  row: Readonly<Record<string, unknown>>,
  fields: InputFields,
): { readonly check: ConvertedCheck } | { readonly leftOut: string } {
  const uuid = plainText(row.uuid) || (uuidAtEnd.exec(plainText(row.ping_url))?.[1] ?? '')
  if (uuid === '') return { leftOut: 'It has no ping address, because a read-only key was used. Fetch it again with a read-write key.' }
  const graceS = fields.number('grace') ?? 0
  const common = { token: sha256(uuid), ...(graceS > 0 && { grace: configDuration(graceS * 1000) }) }
  const [timeoutS, schedule, timezone] = [fields.number('timeout'), fields.text('schedule'), fields.text('tz') || 'UTC']
  if (schedule === '')
    return timeoutS === null
      ? { leftOut: 'It has neither a timeout nor a schedule.' }
      : { check: asJobCheck({ period: configDuration(timeoutS * 1000), ...common }) }
  const fault = cronFault(schedule)
  if (fault !== null) return { leftOut: `Its schedule ${schedule} is not a supported crontab: it ${fault}.` }
  if (!findZone(timezone)) return { leftOut: `Unknown time zone ${timezone}.` }
  return { check: asJobCheck({ schedule, timezone, ...common }) }
}

/** One line for all checks: every named check has a slug, whether or not a job pings by slug. */
function reportPingKey(checks: readonly Readonly<Record<string, unknown>>[], draft: ConversionDraft): void {
  const count = checks.filter(({ slug }) => plainText(slug) !== '').length
  if (count === 0) return
  draft.lost(
    `${count} check${count === 1 ? '' : 's'}`,
    'ping key',
    `The API does not return it: if jobs call /ping/{ping key}/{slug}, add pingKey: $\{PING_KEY} to the account in the config file, and set that variable.`,
  )
}

/** The API lists the integrations of a check, but not their settings. */
function reportChannels(
  checks: readonly Readonly<Record<string, unknown>>[],
  names: ReadonlyMap<string, string>,
  draft: ConversionDraft,
): void {
  const counts = new Map<string, number>()
  for (const { channels } of checks)
    for (const id of new Set(
      plainText(channels)
        .split(',')
        .filter((text) => text !== ''),
    ))
      counts.set(id, (counts.get(id) ?? 0) + 1)
  for (const [id, count] of [...counts].slice(0, maxChecks))
    draft.leftOut(
      `channel ${names.get(id) ?? id}`,
      `The API does not return integration settings: add it to channels, for its ${count} check${count === 1 ? '' : 's'}.`,
    )
}
