import { present } from '../../checks/wire.ts'
import type { WireReader } from '../../checks/wire-reader.ts'
import { isMapping } from '../../collections/mapping.ts'
import type { WrittenDefinition } from '../written-definition.ts'

const units = { DAY: 'day', WEEK: 'week', MONTH: 'month' } as const

/** Reads a body of the API as an entry of `maintenance:`. Times stay as they are written, because clients compare them as text. */
export function readMaintenanceWindow(body: WireReader): WrittenDefinition {
  body.ignore('id', 'created_at', 'updated_at', 'createdAt', 'updatedAt')
  const [tags, isForAll] = [body.texts('tags'), body.flag('pauseAllChecks')]
  if (isForAll && tags.length > 0) body.fault('tags', 'tags must be empty, because pauseAllChecks selects all checks')
  if (isForAll === false && tags.length === 0)
    body.fault('pauseAllChecks', 'pauseAllChecks must be true without tags, because such a window is for all checks')
  refuseStatusPages(body)
  return present<unknown>({
    name: body.text('name'),
    from: body.text('startsAt'),
    to: body.text('endsAt'),
    repeat: readRepeat(body),
    timezone: body.text('timezone'),
    tags: tags.length > 0 ? tags : undefined,
  })
}

/** Clients also send the other settings of status pages if the window is shown on none. */
function refuseStatusPages(body: WireReader): void {
  const given = body.raw('statusPageVisibility') ?? {}
  if (!isMapping(given) || given.enabled) body.fault('statusPageVisibility', 'statusPageVisibility is not supported: leave it out')
}

function readRepeat(body: WireReader): WrittenDefinition | undefined {
  const every = body.word('repeatUnit', units)
  const interval = body.number('repeatInterval') || undefined
  const until = body.text('repeatEndsAt')
  const isGiven = body.raw('repeatUnit') !== undefined && body.raw('repeatUnit') !== null && body.raw('repeatUnit') !== ''
  if (!isGiven && (interval !== undefined || until !== undefined))
    body.fault('repeatUnit', 'repeatUnit is missing: repeatInterval and repeatEndsAt require it')
  return every && present<unknown>({ every, interval, until })
}

export function writeMaintenanceWindow(definition: WrittenDefinition): WrittenDefinition {
  const { name, from, to, repeat = {}, timezone, tags } = definition as WindowEntry
  const { every, interval, until } = repeat
  return {
    name,
    startsAt: from,
    endsAt: to,
    repeatUnit: every?.toUpperCase() ?? null,
    repeatInterval: interval ?? null,
    repeatEndsAt: until ?? null,
    ...(timezone !== undefined && { timezone }),
    tags: tags ?? [],
    pauseAllChecks: (tags ?? []).length === 0,
  }
}

type WindowEntry = {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly repeat?: { readonly every?: string; readonly interval?: number; readonly until?: string }
  readonly timezone?: string
  readonly tags?: readonly string[]
}

/** Maps pointers into an entry to pointers into a body. */
export const windowPointers: Readonly<Record<string, string>> = {
  '/from': '/startsAt',
  '/to': '/endsAt',
  '/repeat': '/repeatUnit',
  '/repeat/every': '/repeatUnit',
  '/repeat/interval': '/repeatInterval',
  '/repeat/until': '/repeatEndsAt',
}
