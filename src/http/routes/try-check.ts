import type { FastifyRequest } from 'fastify'
import { entryOfAddress } from '../../catalogue/address-entry.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { isMapping } from '../../catalogue/config-file/structure.ts'
import { openYamlSource } from '../../catalogue/config-file/yaml-source.ts'
import { codeFaults } from '../../catalogue/managed/code-faults.ts'
import { parseManagedCheck } from '../../catalogue/managed/parse-managed.ts'
import { depthFaults } from '../../catalogue/wire/depth.ts'
import { fromWire, wirePath } from '../../catalogue/wire/index.ts'
import { bodyPointer } from '../../catalogue/wire/pointers.ts'
import { definitionYaml, shownDefinition, type WrittenDefinition } from '../../catalogue/written-definition.ts'
import { apiError } from '../../errors.ts'
import { invalidDefinition } from '../../managed/managed-checks.ts'
import type { Trial } from '../../runner/trial-runs.ts'
import { minuteMs } from '../../time.ts'
import { createRequestCounter } from '../hooks/rate-limit.ts'
import { readObject, string } from '../input/json-body.ts'
import { oneOf, readParams } from '../input/params.ts'
import { definitionErrors } from '../input/write-check.ts'
import { evidenceEntry } from '../output/evidence-entry.ts'
import { resultEntry } from '../output/result-entry.ts'
import { triedRunSchema } from '../reference/schemas.ts'
import { callerOf, type Deps, type Doc, type Routes } from '../route.ts'
import { clientSignal } from '../server/client-signal.ts'

const query = {
  form: oneOf({
    description:
      'What the body is: a check as the API has it, an entry of `checks:` of the config file in JSON or YAML, or `{"address": "https://example.com"}`.',
    choices: ['api', 'file', 'address'],
    otherwise: 'api',
  }),
}

const triesPerMinute = 30
/** YAML is parsed in this thread. */
const maxTryBytes = 65_536
const yamlTypes = ['application/yaml', 'text/yaml', 'application/x-yaml']

export const tryCheckRoutes: Routes = async (app, deps) => {
  const count = createRequestCounter(deps.clock)
  await app.register(async (scope) => {
    scope.addContentTypeParser(yamlTypes, { parseAs: 'string', bodyLimit: maxTryBytes }, async (_: FastifyRequest, body: string) => body)
    scope.post('/v1/checks/try', { bodyLimit: maxTryBytes, config: { access: 'write', doc } }, async (request, reply) => {
      const { form } = readParams(query, request.query)
      const { trials } = deps
      if (!trials) throw apiError('TRIALS_OFF')
      const definition = definitionIn[form](request.body, deps)
      const check = checkOf(definition, request, deps, form === 'api' ? pointersOf(definition, deps) : (pointer) => pointer)
      const { exceeded } = count(check.account, triesPerMinute, minuteMs)
      if (exceeded) throw exceeded
      return describeTrial(check, await trials.run(check, clientSignal(reply)))
    })
  })
}

const definitionIn: Readonly<Record<'api' | 'file' | 'address', (body: unknown, deps: Deps) => WrittenDefinition>> = {
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

/** The definition in a body that has a check as the API has it. */
function apiDefinition(body: unknown, { checkTypes }: Deps): WrittenDefinition {
  const { checkType: type } = (body ?? {}) as { readonly checkType?: unknown }
  const checkType = checkTypes.find((one) => one.type === type)
  const types = checkTypes.map((one) => one.type).join(', ')
  if (!checkType) throw invalidDefinition([{ pointer: '/checkType', message: `checkType must be one of ${types}` }])
  const read = fromWire(checkType, body)
  if ('faults' in read) throw invalidDefinition(read.faults)
  return read.definition
}

/** An entry of `checks:`, alone or as the only one of a list. */
function fileEntry(body: unknown): WrittenDefinition {
  const value = typeof body === 'string' ? yamlValueOf(body) : body
  const entry = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (!isMapping(entry)) throw invalidDefinition([{ pointer: '', message: 'the body must be an entry of checks: of the config file' }])
  const tooDeep = depthFaults(entry)
  if (tooDeep.length > 0) throw invalidDefinition(tooDeep)
  return entry
}

function yamlValueOf(text: string): unknown {
  const { read } = openYamlSource(text)
  if ('value' in read) return read.value
  throw invalidDefinition(
    read.faults.slice(0, 100).map(({ line, text: message }) => ({ pointer: '', message: `line ${line}: ${message}` })),
  )
}

/** Where a place of the definition is in a body that has a check as the API has it. */
function pointersOf({ type }: WrittenDefinition, { checkTypes }: Deps): (pointer: string) => string {
  const checkType = checkTypes.find((one) => one.type === type)
  return (pointer) => (checkType ? bodyPointer(checkType, pointer) : pointer)
}

function checkOf(definition: WrittenDefinition, request: FastifyRequest, deps: Deps, inBody: (pointer: string) => string): Check {
  const { trials, checkTypes, clock, catalogue } = deps
  const { account } = callerOf(request)
  const parsed = parseManagedCheck(definition, { account, env: trials?.env ?? {}, checkTypes })
  const faults = 'faults' in parsed ? parsed.faults : codeFaults(parsed.check, catalogue.service())
  if ('faults' in parsed || faults.length > 0)
    throw invalidDefinition(faults.map(({ pointer, message }) => ({ pointer: inBody(pointer), message })))
  const { check } = parsed
  if (!check.checkType.run)
    throw invalidDefinition([{ pointer: '/checkType', message: `${check.checkType.type} checks wait for pings: there is nothing to run` }])
  const now = Math.floor(clock.now())
  return { ...check, agentLocations: [], createdAt: now, updatedAt: now }
}

function describeTrial(check: Check, trial: Trial) {
  if ('busy' in trial) throw apiError('TOO_MANY_TRIALS', {}, { 'retry-after': '5' })
  if ('notMade' in trial) throw apiError('UNAVAILABLE', { seconds: 10 }, { 'retry-after': '10' })
  if ('aborted' in trial) throw apiError('UNAVAILABLE', { seconds: 1 })
  const definition = shownDefinition(check)
  return {
    ...resultEntry(check, trial.result, []),
    evidence: trial.evidence && evidenceEntry(trial.evidence),
    checkType: check.checkType.type,
    createAt: `/v1/checks/${wirePath(check.checkType)}`,
    definition,
    yaml: definitionYaml(definition),
  }
}

const doc: Doc = {
  group: 'Managed checks',
  summary: 'Run a definition once, without storing anything',
  description: `At the server, now, with the limits of runs: at most 100 s, no retries; at most ${triesPerMinute} a minute for an account. Faults of the definition are named by JSON pointers.`,
  query,
  body: {
    description: 'The check, with its checkType; or an entry of `checks:`.',
    mediaType: 'application/json',
    schema: { type: 'object' },
  },
  answer: {
    description: 'The run as a result with its evidence, and the definition as the config file would have it.',
    schema: triedRunSchema,
  },
  errors: [...definitionErrors, 'UNKNOWN_PROPERTY', 'INVALID_PARAMETER', 'RATE_LIMITED', 'TOO_MANY_TRIALS', 'TRIALS_OFF', 'UNAVAILABLE'],
}
