import type { FastifyRequest } from 'fastify'
import { entryOfAddress } from '../../catalogue/address-entry.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { openYamlSource } from '../../catalogue/config-file/yaml-source.ts'
import { movesSecrets } from '../../catalogue/managed/check-group.ts'
import { codeFaults } from '../../catalogue/managed/code-faults.ts'
import { parseManagedCheck } from '../../catalogue/managed/parse-managed.ts'
import { depthFaults } from '../../catalogue/wire/depth.ts'
import { fromWire, isSentWhole, wholeDefinition, wirePath } from '../../catalogue/wire/index.ts'
import { bodyPointer } from '../../catalogue/wire/pointers.ts'
import { definitionYaml, hidesTexts, shownDefinition, type WrittenDefinition } from '../../catalogue/written-definition.ts'
import { isMapping } from '../../collections/mapping.ts'
import { apiError } from '../../errors.ts'
import { movedText } from '../../managed/judge-stored.ts'
import { isManaged } from '../../managed/plan-checks.ts'
import { sealCheck } from '../../managed/seal.ts'
import { invalidDefinition } from '../../managed/writing.ts'
import type { Trial } from '../../runner/trial-runs.ts'
import { minuteMs } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { createRequestCounter } from '../hooks/rate-limit.ts'
import { readObject, string } from '../input/fields.ts'
import { findCheck, readId } from '../input/find-check.ts'
import { booleanParam, oneOf, readParams, text } from '../input/params.ts'
import { definitionErrors, readDefinition, typeOfBody } from '../input/write-check.ts'
import { evidenceEntry } from '../output/evidence-entry.ts'
import { resultEntry } from '../output/result-entry.ts'
import { triedRunSchema } from '../reference/check-schemas.ts'
import type { Deps, Doc, Routes } from '../route.ts'
import { clientSignal } from '../server/client-signal.ts'

const query = {
  form: oneOf({
    description:
      'The form of the body: a check as in the API, an entry of `checks:` of the config file in JSON or YAML, or `{"address": "https://example.com"}`.',
    choices: ['api', 'file', 'address'],
    otherwise: 'api',
  }),
  checkId: text({
    description:
      'The managed check that the definition would replace: hidden values are taken from it, if it still calls the same address, and at agents that run it.',
  }),
  location: text({
    description:
      'Where to run it: at the agents of this location, or on the server. Default: the first location of the definition, on the server.',
    maxLength: 128,
  }),
  run: booleanParam({ description: 'false: do not run it, only return the definition.', otherwise: true }),
}

const triesPerMinute = 30
/** Kept small, since YAML is parsed in this thread. */
const maxTryBytes = 65_536
const yamlTypes = ['application/yaml', 'text/yaml', 'application/x-yaml']

export const tryCheckRoutes: Routes = async (app, deps) => {
  const count = createRequestCounter(deps.clock)
  await app.register(async (scope) => {
    scope.addContentTypeParser(yamlTypes, { parseAs: 'string', bodyLimit: maxTryBytes }, async (_: FastifyRequest, body: string) => body)
    scope.post('/v1/checks/try', { bodyLimit: maxTryBytes, config: { access: 'write', doc } }, async (request, reply) => {
      const { form, checkId, location, run } = readParams(query, request.query)
      const { trials } = deps
      const previous = checkId === null ? undefined : managedCheck(deps, request, checkId)
      const definition = definitionIn[form](request.body, deps, previous)
      const check = checkOf(
        { definition, previous },
        request,
        deps,
        form === 'api' ? pointersOf(definition, request.body, deps) : (pointer) => pointer,
      )
      if (previous) rejectMoved(previous, check, form === 'api' ? request.body : { definition: entryIn(request.body) }, deps)
      if (!run) return describeDefinition(check)
      rejectPinged(check)
      const { exceeded } = count(check.account, triesPerMinute, minuteMs)
      if (exceeded) throw exceeded
      const placed = location === null ? check : { ...check, locations: [location] }
      const signal = clientSignal(reply)
      if (location !== null && isOfAgents(location, check.account, deps)) {
        if (previous) rejectOtherAgents(location, previous)
        return describeTrial(check, await tryAtAgent(location, placed, signal, deps))
      }
      if (!trials) throw apiError('TRIALS_OFF')
      return describeTrial(check, await trials.run(placed, signal))
    })
  })
}

function isOfAgents(location: string, account: string, { agents, catalogue }: Deps): boolean {
  const isLeftToThem = catalogue.checks(account).some(({ agentLocations }) => agentLocations.includes(location))
  return isLeftToThem || agents.locations(account).includes(location)
}

async function tryAtAgent(location: string, check: Check, signal: AbortSignal, { agentTrials }: Deps): Promise<Trial> {
  const [file] = check.checkType.files?.(check.settings) ?? []
  if (file)
    throw invalidDefinition([
      { pointer: `/${file.setting}`, message: `${file.setting}: files of the server can only be tried on the server` },
    ])
  const trial = await agentTrials.run({ account: check.account, location }, { ...check, retry: null, evidence: 'all' }, signal)
  if ('noAgent' in trial) throw apiError('NO_AGENT', { location })
  if ('tooOld' in trial) throw apiError('AGENT_TOO_OLD', { location, versions: trial.tooOld.join(', ') })
  if ('noAnswer' in trial) throw apiError('AGENT_SILENT', { location })
  if (!('answer' in trial)) return trial
  if ('problem' in trial.answer) throw apiError('AGENT_CANNOT', { location, reason: trial.answer.problem })
  return trial.answer
}

type ReadDefinition = (body: unknown, deps: Deps, previous?: Check) => WrittenDefinition

const definitionIn: Readonly<Record<'api' | 'file' | 'address', ReadDefinition>> = {
  api: apiDefinition,
  file: fileEntry,
  address: addressEntry,
}

function addressEntry(body: unknown, { checkTypes }: Deps): WrittenDefinition {
  const { address } = readObject(addressFields, body)
  const found = entryOfAddress(address.trim(), checkTypes)
  if ('fault' in found) throw invalidDefinition([{ pointer: '/address', message: found.fault }])
  return found.entry
}

const addressFields = { address: string('an address such as https://example.com', 2000) }

function managedCheck({ catalogue }: Deps, request: FastifyRequest, id: string): Check {
  const check = findCheck(catalogue, request, readId(id))
  if (!isManaged(check)) throw apiError('CHECK_NOT_FOUND')
  return check
}

/** Reads a check in the format of the API. */
function apiDefinition(body: unknown, { checkTypes, managed }: Deps, previous?: Check): WrittenDefinition {
  return readDefinition(typeOfBody(checkTypes, body), body, previous, managed?.sources.resources)
}

/** Reads an entry of `checks:`, alone or as a list of one. */
function fileEntry(body: unknown, deps: Deps, previous?: Check): WrittenDefinition {
  const entry = entryIn(body)
  return previous ? replacement(entry, previous, deps) : entry
}

function entryIn(body: unknown): WrittenDefinition {
  const value = typeof body === 'string' ? yamlValueOf(body) : body
  const entry = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (!isMapping(entry)) throw invalidDefinition([{ pointer: '', message: 'the body must be an entry of checks: of the config file' }])
  const tooDeep = depthFaults(entry)
  if (tooDeep.length > 0) throw invalidDefinition(tooDeep)
  return entry
}

/** Fills in the hidden values of the check that the entry would replace. */
function replacement(entry: WrittenDefinition, previous: Check, { managed }: Deps): WrittenDefinition {
  const read = fromWire(previous.checkType, { definition: entry }, previous, managed?.sources.resources)
  if ('definition' in read) return read.definition
  throw invalidDefinition(read.faults.map(({ pointer, message }) => ({ pointer: pointer.replace(/^\/definition/, ''), message })))
}

function yamlValueOf(text: string): unknown {
  const { read } = openYamlSource(text)
  if ('value' in read) return read.value
  throw invalidDefinition(
    read.faults.slice(0, 100).map(({ line, text: message }) => ({ pointer: '', message: `line ${line}: ${message}` })),
  )
}

/** Translates pointers from the definition to a body in the format of the API. */
function pointersOf({ type }: WrittenDefinition, body: unknown, { checkTypes }: Deps): (pointer: string) => string {
  if (wholeDefinition(body)) return (pointer) => `/definition${pointer}`
  const checkType = checkTypes.find((one) => one.type === type)
  return (pointer) => (checkType ? bodyPointer(checkType, pointer) : pointer)
}

type Tried = { readonly definition: WrittenDefinition; readonly previous: Check | undefined }

function checkOf(tried: Tried, request: FastifyRequest, deps: Deps, inBody: (pointer: string) => string): Check {
  const { trials, checkTypes, clock, catalogue, managed } = deps
  const { account } = callerOf(request)
  const { sources } = managed ?? {}
  const sealing = { account, vault: sources?.vault ?? null, previous: tried.previous?.written, inBody }
  const definition = sealCheck(tried.definition, sealing)
  const parsed = parseManagedCheck(definition, { account, env: trials?.env ?? {}, checkTypes, ...sources })
  const faults = 'faults' in parsed ? parsed.faults : codeFaults(parsed.check, catalogue.service())
  if ('faults' in parsed || faults.length > 0)
    throw invalidDefinition(faults.map(({ pointer, message }) => ({ pointer: inBody(pointer), message })))
  const now = Math.floor(clock.now())
  return { ...parsed.check, agentLocations: [], createdAt: now, updatedAt: now }
}

/** Keeps hidden secrets from being sent to another address, which a variable of the definition can name too. */
function rejectMoved(previous: Check, check: Check, body: unknown, { managed }: Deps): void {
  if (!movesSecrets(previous, check) || isSentWhole(previous.checkType, body, previous, managed?.sources.resources)) return
  throw invalidDefinition([{ pointer: '', message: movedText }])
}

/** Agents see the secrets of checks they run: a trial at another location could reveal secrets that the caller may not read. */
function rejectOtherAgents(location: string, previous: Check): void {
  if (previous.locations.includes(location) || !hidesTexts(previous)) return
  const message = `the check does not run at ${location}, and its hidden values are only for agents that run it: try it without checkId, or save the location first`
  throw invalidDefinition([{ pointer: '', message }])
}

function rejectPinged({ checkType: { type, run } }: Check): void {
  if (!run) throw invalidDefinition([{ pointer: '/checkType', message: `${type} checks wait for pings: there is nothing to run` }])
}

function describeTrial(check: Check, trial: Trial) {
  if ('busy' in trial) throw apiError('TOO_MANY_TRIALS', {}, { 'retry-after': '5' })
  if ('notMade' in trial) throw apiError('UNAVAILABLE', { seconds: 10 }, { 'retry-after': '10' })
  if ('aborted' in trial) throw apiError('UNAVAILABLE', { seconds: 1 })
  return {
    ...resultEntry(check, trial.result, []),
    evidence: trial.evidence && evidenceEntry(trial.evidence),
    ...describeDefinition(check),
  }
}

function describeDefinition(check: Check) {
  const definition = shownDefinition(check)
  return {
    checkType: check.checkType.type,
    createAt: `/v1/checks/${wirePath(check.checkType)}`,
    definition,
    yaml: definitionYaml(definition),
  }
}

const doc: Doc = {
  group: 'Managed checks',
  summary: 'Run a definition once, without storing anything',
  description: `Runs now on the server or an agent: at most 100 s, no retries; at most ${triesPerMinute} a minute per account. Faults have JSON pointers.`,
  query,
  body: {
    description: 'The check, with its `checkType`; or, with `form=file` or as `{"definition": …}`, an entry of `checks:`.',
    mediaType: 'application/json',
    schema: { type: 'object' },
  },
  answer: {
    description: 'The run as a result with its evidence, and the definition as a config file entry.',
    schema: triedRunSchema,
  },
  errors: [
    ...definitionErrors,
    'INVALID_ID',
    'CHECK_NOT_FOUND',
    'UNKNOWN_PROPERTY',
    'INVALID_PARAMETER',
    'RATE_LIMITED',
    'TOO_MANY_TRIALS',
    'NO_AGENT',
    'AGENT_TOO_OLD',
    'AGENT_SILENT',
    'AGENT_CANNOT',
    'TRIALS_OFF',
    'UNAVAILABLE',
  ],
}
