import { fromWire } from '../../../catalogue/wire/index.ts'
import { isSecretName } from '../../../checks/probe/redact.ts'
import { checkTypes } from '../../../checks/registry.ts'
import { isMapping } from '../../../collections/mapping.ts'
import { sha256 } from '../../../ids/sha256.ts'
import type { ConversionDraft } from '../draft.ts'
import { plainText } from '../fields.ts'
import { type NewIds, newIds } from '../new-ids.ts'
import type { ConvertInput } from '../source.ts'
import { addressText, mayHoldSecrets, slugOf } from '../written-text.ts'
import { flattened, groupsById } from './groups.ts'
import type { AccountBodies } from './read-account.ts'
import { namedVariables, variablesIn, withVariables } from './variables.ts'

export type CheckBody = Readonly<Record<string, unknown>>

type CheckWorld = {
  readonly draft: ConversionDraft
  readonly keepFile: ConvertInput['keepFile']
  /** Truncated names may collide, so they need new ids. */
  readonly scriptNames: NewIds
  readonly groups: ReadonlyMap<string, CheckBody>
  readonly variables: ReadonlyMap<string, string>
}

type WorldParts = { readonly account: AccountBodies; readonly draft: ConversionDraft; readonly keepFile: ConvertInput['keepFile'] }

export function newCheckWorld({ account, draft, keepFile }: WorldParts): CheckWorld {
  return { draft, keepFile, scriptNames: newIds('-'), groups: groupsById(account.groups), variables: namedVariables(account.variables) }
}

/** Settings that alert rules replace, or that never affected a run. */
const ofAlerts = [
  'alertSettings',
  'useGlobalAlertSettings',
  'alertChannelSubscriptions',
  'groupId',
  'groupOrder',
  'runtimeId',
  'frequencyOffset',
]

/** Returns the id of the converted check; null if the body could not be converted. */
export function convertCheckBody(body: CheckBody, world: CheckWorld): string | null {
  const { draft, groups } = world
  const item = plainText(body.name) || plainText(body.id) || 'unnamed'
  const checkType = checkTypes.find(({ type }) => type === body.checkType)
  if (!checkType) {
    draft.leftOut(item, `No check corresponds to the type ${plainText(body.checkType)}.`)
    return null
  }
  const group = groups.get(plainText(body.groupId))
  const whole = group ? flattened(body, group, item, draft) : body
  const prepared = withVariables(withoutFields(whole), world.variables, draft)
  const definition = readPruned(checkType, prepared, item, draft)
  if (definition === null) return null
  const { name, tags, type: _, clientFields: __, ...settings } = definition
  for (const variable of variablesIn(settings)) declareUnknown(variable, draft)
  const id = draft.addCheck({
    item,
    name: plainText(name) || item,
    id: slugOf(plainText(body.id)) || undefined,
    group: group ? draft.groupOf(plainText(group.name) || 'group') : null,
    tags: Array.isArray(tags) ? tags.map(plainText) : [],
    settings: { type: checkType.type, ...withoutSecrets(settings, prepared, { item, world }) },
  })
  return id
}

function withoutFields(body: CheckBody): CheckBody {
  const isSeconds = body.frequency === 0
  return Object.fromEntries(Object.entries(body).filter(([name]) => !ofAlerts.includes(name) || (name === 'frequencyOffset' && isSeconds)))
}

const maxTries = 50

/** The definition of a body. Invalid fields are removed and reported one by one. */
function readPruned(checkType: (typeof checkTypes)[number], body: CheckBody, item: string, draft: ConversionDraft): CheckBody | null {
  let rest = body
  for (let tries = 0; tries < maxTries; tries++) {
    const read = fromWire(checkType, rest)
    if ('definition' in read) return read.definition
    const removable = read.faults.filter(({ pointer }) => pointer !== '')
    const pruned = removable.reduceRight<CheckBody>((part, { pointer }) => without(part, stepsOf(pointer)), rest)
    if (removable.length === 0 || JSON.stringify(pruned) === JSON.stringify(rest)) {
      draft.leftOut(item, `${read.faults[0]?.message ?? 'it cannot be read'}.`)
      return null
    }
    for (const { pointer, message } of removable) draft.lost(item, stepsOf(pointer).join('.'), `${message}.`)
    rest = pruned
  }
  draft.leftOut(item, 'Too much of it cannot be read.')
  return null
}

const stepsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Returns the value without the field at a path. */
function without(value: CheckBody, [step = '', ...deeper]: readonly string[]): CheckBody {
  const child = Object.hasOwn(value, step) ? value[step] : undefined
  const isPart = deeper.length > 0 && typeof child === 'object' && child !== null
  const entries = Object.entries(value).filter(([name]) => isPart || name !== step)
  return Object.fromEntries(entries.map(([name, part]) => [name, name === step && isPart ? withoutIn(part, deeper) : part]))
}

function withoutIn(value: unknown, steps: readonly string[]): unknown {
  if (!Array.isArray(value)) return isMapping(value) ? without(value, steps) : value
  const [step = '', ...deeper] = steps
  const kept = deeper.length > 0 ? value : value.filter((_, index) => index !== Number(step))
  return kept.map((part, index) => (deeper.length > 0 && index === Number(step) && isMapping(part) ? without(part, deeper) : part))
}

/** Moves scripts to files and variable values to the env file. Tokens are replaced by their hashes. */
function withoutSecrets(
  settings: CheckBody,
  body: CheckBody,
  { item, world }: { readonly item: string; readonly world: CheckWorld },
): CheckBody {
  const { draft, keepFile, scriptNames } = world
  const keepScript = (text: string) =>
    keepFile(`scripts/${scriptNames.take(slugOf(`${item} ${plainText(body.id)}`) || 'script')}.spec.ts`, text)
  const { inlineScript, environment, heartbeat, request, ...rest } = settings
  const script = plainText(body.script)
  const hidden = isMapping(environment)
    ? Object.entries(environment).map(([name, value]) => [name, hiddenValue(name, plainText(value), draft)])
    : []
  return {
    ...rest,
    ...(isMapping(request) && { request: withoutCredentials(request, (name, value) => draft.secret(`${item} ${name}`, value)) }),
    ...(inlineScript !== undefined && { script: keepScript(script) }),
    ...(hidden.length > 0 && { environment: Object.fromEntries(hidden) }),
    ...(isMapping(heartbeat) && { heartbeat: withoutToken(heartbeat, body, { item, draft }) }),
  }
}

/** Moves plain-text credentials of a request to the env file. Values that already refer to variables stay. */
function withoutCredentials(request: CheckBody, hide: (name: string, value: string) => string): CheckBody {
  const isPlain = (value: unknown): value is string => typeof value === 'string' && value !== '' && !value.includes('${')
  const pairs = (name: string) => {
    const given = request[name]
    if (!isMapping(given)) return {}
    const hidden = Object.entries(given).map(([key, value]) => [key, isPlain(value) && isSecretName(key) ? hide(key, value) : value])
    return { [name]: Object.fromEntries(hidden) }
  }
  const { basicAuth, url, body } = request
  const password = isMapping(basicAuth) ? basicAuth.password : undefined
  return {
    ...request,
    ...(isPlain(url) && { url: addressText(url, hide) }),
    ...pairs('headers'),
    ...pairs('query'),
    ...(isPlain(body) && mayHoldSecrets(body) && { body: hide('body', body) }),
    ...(isMapping(basicAuth) && isPlain(password) && { basicAuth: { ...basicAuth, password: hide('password', password) } }),
  }
}

const hiddenValue = (name: string, value: string, draft: ConversionDraft) =>
  value === '' || /^\$\{\w+\}$/.test(value) ? value : draft.secret(name, value)

function withoutToken(
  heartbeat: CheckBody,
  body: CheckBody,
  { item, draft }: { readonly item: string; readonly draft: ConversionDraft },
): CheckBody {
  const given = isMapping(body.heartbeat) ? plainText(body.heartbeat.pingToken) : ''
  if (given !== '') return { ...heartbeat, token: sha256(given) }
  draft.changed(
    item,
    'heartbeat.pingToken',
    'The response does not contain it: a new one is in the env file. Its job has to call /ping/TOKEN.',
  )
  return { ...heartbeat, token: draft.secret(`${item} ping token`, plainText(heartbeat.token)) }
}

function declareUnknown(name: string, draft: ConversionDraft): void {
  if (draft.parts.variables.has(name)) return
  draft.variable(name, '')
  draft.lost(`variable ${name}`, null, 'Its value is missing: set it in the env file.')
}
