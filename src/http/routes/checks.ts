import { type Check, refOf } from '../../catalogue/catalogue.ts'
import { groupIdOf } from '../../catalogue/managed/check-group.ts'
import { selector } from '../../catalogue/policies/policies.ts'
import { definitionYaml, shownDefinition, tokenName } from '../../catalogue/written-definition.ts'
import type { ManagedChecks } from '../../managed/managed-checks.ts'
import { checkState } from '../../store/current-state.ts'
import { versionTag } from '../../text/version-tag.ts'
import { callerOf } from '../hooks/auth.ts'
import { findStored, idSchema, requestedId } from '../input/find-check.ts'
import { list, oneOf, type Parsed, possiblyEmptyText, readKnownParams, readParams } from '../input/params.ts'
import { pageParams } from '../input/window-params.ts'
import { describeCheck } from '../output/check-entry.ts'
import { managedEntry } from '../output/managed-entry.ts'
import { pageWithRange, rangeHeaders } from '../output/page-headers.ts'
import { checkDefinitionSchema, checkSchema, listedDefinitionSchema } from '../reference/check-schemas.ts'
import type { Deps, Doc, Routes } from '../route.ts'

export const checkRoutes: Routes = (app, deps) => {
  const query = listParams(deps)
  app.get('/v1/checks', { config: { access: 'read', doc: listDoc(query) } }, async (request, reply) => {
    const params = readKnownParams(query, request.query)
    const checks = deps.catalogue.checks(callerOf(request).account.id).filter(matches(params))
    const matching = params.status === null ? checks : await withStatus(checks, params.status, deps)
    return pageWithRange(matching, { ...params, request, reply, basePath: deps.basePath }).map(describeCheck)
  })
  app.get('/v1/checks/:id', { config: { access: 'read', doc: oneDoc } }, async (request, reply) => {
    const check = findStored(deps, request, requestedId(request))
    return check.managedVersion === undefined ? describeCheck(check) : managedEntry(check, { request, reply, deps })
  })
  app.get('/v1/checks/:id/definition', { config: { access: 'read', doc: definitionDoc } }, async (request, reply) => {
    const id = requestedId(request)
    const { account } = callerOf(request)
    const faulty = deps.catalogue.check(account.id, id) ? null : deps.managed?.faultyDefinition(account, id)
    const known = faulty ? describeFaulty(faulty) : describeDefinition(findStored(deps, request, id))
    if (known.managedVersion !== null) reply.header('etag', versionTag(known.managedVersion))
    return { ...known, place: (await deps.managed?.placeInFile(account, id)) ?? null }
  })
  app.get('/v1/check-definitions', { config: { access: 'read', doc: definitionsDoc } }, async (request, reply) => {
    const params = readParams(pageParams, request.query)
    const checks = deps.catalogue.checks(callerOf(request).account.id)
    return pageWithRange(checks, { ...params, request, reply, basePath: deps.basePath }).map((check) => ({
      id: check.id,
      definition: shownDefinition(check),
      ...check.origin,
      managedVersion: check.managedVersion ?? null,
    }))
  })
}

function listParams({ checkTypes }: Deps) {
  return {
    ...pageParams,
    tag: list({ description: 'Checks with any of these tags.' }),
    checkType: oneOf({ description: 'Checks of this type.', choices: checkTypes.map(({ type }) => type), otherwise: null }),
    search: possiblyEmptyText({ description: 'Checks with this text in their name, case-insensitive.' }),
    status: oneOf({ description: 'Checks with this status.', choices: ['passing', 'failing', 'degraded'], otherwise: null }),
  }
}
type ListParams = ReturnType<typeof listParams>

function matches({ tag, checkType, search }: Parsed<ListParams>): (check: Check) => boolean {
  const part = search?.toLowerCase() ?? ''
  const hasTag = selector({ checks: [], tags: tag })
  return (check) => hasTag(check) && (checkType === null || check.checkType.type === checkType) && check.name.toLowerCase().includes(part)
}

async function withStatus(checks: readonly Check[], status: string, { store, clock }: Deps): Promise<readonly Check[]> {
  const now = clock.now()
  const latest = await store.latest(checks.map(refOf))
  return checks.filter((check, i) => checkState(check, latest[i], now) === status)
}

function describeFaulty({ definition, version, faults }: FaultyDefinition) {
  const group = groupIdOf(definition)
  const origin = { file: null, group: group === undefined ? null : String(group) }
  return { definition, yaml: definitionYaml(definition), ...origin, managedVersion: version, ping: null, faults }
}

type FaultyDefinition = NonNullable<ReturnType<ManagedChecks['faultyDefinition']>>

function describeDefinition(check: Check) {
  const definition = shownDefinition(check)
  const ping = check.checkType.pingSettings?.(check.settings)
  return {
    definition,
    yaml: definitionYaml(definition),
    ...check.origin,
    managedVersion: check.managedVersion ?? null,
    ping: ping ? { periodSeconds: ping.periodMs / 1000, graceSeconds: ping.graceMs / 1000, token: tokenName(check) } : null,
    faults: [],
  }
}

const listDoc = (query: ListParams): Doc => ({
  group: 'Checks',
  summary: 'The checks of the account',
  description: 'By creation, then id. Ignores parameters that are not listed here.',
  query,
  answer: {
    description: 'A page of checks; empty past the end.',
    schema: { type: 'array', items: checkSchema },
    headers: rangeHeaders,
  },
})

const oneDoc: Doc = {
  group: 'Checks',
  summary: 'One check',
  path: { id: idSchema },
  answer: { description: 'The check.', schema: checkSchema },
  errors: ['INVALID_ID', 'CHECK_NOT_FOUND', 'CHECK_FAULTY'],
}

const definitionDoc: Doc = {
  group: 'Checks',
  summary: 'The definition of a check',
  description:
    'As in the config file, including settings from groups and defaults. Variables are shown by name, as are literal secrets such as header values, with a name derived from the setting. A managed check that is stored but not run has `faults`, unless it is too broken to identify its secrets.',
  path: { id: idSchema },
  answer: {
    description: 'The definition.',
    schema: checkDefinitionSchema,
    headers: { ETag: 'The version of a managed check, for If-Match.' },
  },
  errors: ['INVALID_ID', 'CHECK_NOT_FOUND', 'CHECK_FAULTY'],
}

const definitionsDoc: Doc = {
  group: 'Checks',
  summary: 'The definitions of the checks of the account',
  description: 'By creation, then id, each as in `GET /v1/checks/{id}/definition`.',
  query: pageParams,
  answer: {
    description: 'A page of definitions; empty past the end.',
    schema: { type: 'array', items: listedDefinitionSchema },
    headers: rangeHeaders,
  },
}
