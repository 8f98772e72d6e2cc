import { loadSlo, type SloOverrides } from '../../analytics/slo/load-slo.ts'
import { type Slo, selector } from '../../catalogue/policies/policies.ts'
import { apiError } from '../../errors.ts'
import { idGrammar } from '../../ids/id-grammar.ts'
import { callerOf } from '../hooks/auth.ts'
import { chooseChecks } from '../input/find-check.ts'
import { list, readParams } from '../input/params.ts'
import { sloParams } from '../input/slo-params.ts'
import { formatParam, inFormat } from '../output/answer-format.ts'
import { schemaColumns } from '../output/schema-columns.ts'
import { sloDaySchema, sloSchema } from '../reference/report-schemas.ts'
import type { Doc, Routes } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'

const description = [
  'Parameters override the config for this answer. attained = good / counted × 100; the total budget is counted × (1 − target / 100);',
  'a burn rate is the share that was bad over that time, divided by (1 − target / 100).',
].join(' ')

const params = { ...sloParams, ...formatParam }
const listParams = { checkId: list({ description: 'SLOs that include any of these checks; default: all.' }), ...params }
const columns = schemaColumns(sloSchema)
const dayColumns = schemaColumns(sloDaySchema)

const listDoc: Doc = {
  group: 'SLOs',
  summary: 'The status of every SLO',
  description: `${description} SLOs to which thresholdMs or by does not apply are unchanged.`,
  query: listParams,
  answer: {
    description: 'SLOs in the order of the config file.',
    schema: { type: 'array', items: sloSchema },
    otherTypes: ['text/csv'],
  },
  errors: ['INVALID_ID', 'INVALID_WINDOW', 'QUERY_TOO_LARGE', 'CHECK_NOT_FOUND'],
}

const oneDoc: Doc = {
  group: 'SLOs',
  summary: 'The status of one SLO',
  description,
  path: { id: { type: 'string', pattern: idGrammar.source, description: 'The id of an SLO of your account.' } },
  query: params,
  answer: { description: 'Its budget, burn rates and days; as CSV, its days.', schema: sloSchema, otherTypes: ['text/csv'] },
  errors: ['INVALID_WINDOW', 'QUERY_TOO_LARGE', 'SLO_NOT_FOUND'],
}

export const sloRoutes: Routes = (app, deps) => {
  const { catalogue } = deps

  app.get('/v1/slos', { config: { access: 'read', doc: listDoc } }, async (request, reply) => {
    const { format, checkId, ...overrides } = readParams(listParams, request.query)
    const account = callerOf(request).account.id
    const options = questionOptions(request, reply)
    const checks = checkId.length === 0 ? null : chooseChecks(catalogue, request, { checkId, tag: [] })
    const statuses = []
    for (const slo of catalogue.policies(account).slos.filter((slo) => checks === null || checks.some(selector(slo))))
      statuses.push(await loadSlo(deps, { account, slo, overrides: applicable(slo, overrides), options }))
    return inFormat(request, reply, { answer: statuses, format, columns: () => columns })
  })

  app.get('/v1/slos/:id', { config: { access: 'read', doc: oneDoc } }, async (request, reply) => {
    const { id } = request.params as { readonly id: string }
    if (!idGrammar.test(id))
      throw apiError('INVALID_PARAMETER', { name: 'id', expected: '1 to 128 characters from A-Z, a-z, 0-9, _ and -' })
    const { format, ...overrides } = readParams(params, request.query)
    const account = callerOf(request).account.id
    const slo = catalogue.policies(account).slos.find((candidate) => candidate.id === id)
    if (!slo) throw apiError('SLO_NOT_FOUND')
    const answer = await loadSlo(deps, { account, slo, overrides, options: questionOptions(request, reply) })
    return inFormat(request, reply, { answer, format, columns: () => dayColumns })
  })
}

/** In a list, each override applies only to the kind of objective that it suits. */
function applicable({ objective }: Slo, overrides: SloOverrides): SloOverrides {
  return objective.kind === 'latency' ? { ...overrides, by: null } : { ...overrides, thresholdMs: null }
}
