import { stringify } from 'yaml'
import { metricEntries } from '../../analytics/metric-names.ts'
import { wirePath } from '../../catalogue/wire/index.ts'
import type { CheckType } from '../../checks/define.ts'
import { readParams, requiredOneOf } from '../input/params.ts'
import { checkTypeSchema } from '../reference/check-schemas.ts'
import { metricSchema } from '../reference/report-schemas.ts'
import type { Doc, Routes } from '../route.ts'

const doc: Doc = {
  group: 'Checks',
  summary: 'Check types',
  description: 'Endpoint, metrics, groups and filters of each check type.',
  query: {},
  answer: { description: 'Every type.', schema: { type: 'array', items: checkTypeSchema } },
}

export const checkTypeRoutes: Routes = (app, { checkTypes, catalogue }) => {
  app.get('/v1/check-types', { config: { access: 'read', doc } }, async (request) => {
    readParams({}, request.query)
    const { allowUploadedCode } = catalogue.service()
    return checkTypes.map((checkType) => ({ ...describe(checkType), acceptsCode: allowUploadedCode || !mayHoldCode(checkType) }))
  })
}

const mayHoldCode = ({ codeSettings, files }: CheckType) => codeSettings !== undefined || files !== undefined

function describe(checkType: CheckType) {
  const { type, label, path, metrics, duration, phases, groupBy, states, demo, pingSettings } = checkType
  return {
    checkType: type,
    label,
    endpoint: `/v1/analytics/${path}`,
    metrics: Object.entries(metrics).map(([name, { unit, label, perPage = false }]) => ({ name, unit, label, perPage })),
    duration,
    phases,
    groupBy,
    filterByStatus: ['success', 'failure', ...Object.keys(states)],
    example: checkExample(checkType),
    files: Object.keys(demo.files),
    pinged: pingSettings !== undefined,
    createAt: `/v1/checks/${wirePath(checkType)}`,
    hasVariables: checkType.wire?.hasVariables ?? false,
  }
}

const target = {
  url: 'https://example.com',
  hostname: 'example.com',
  tcpPort: 443,
  dnsPort: 53,
  pingToken: 'replace-this-with-random-characters',
}

/** An example entry of `checks` in the config file, for people to start from. */
function checkExample({ type, demo, pingSettings }: CheckType): string {
  const common = { name: demo.name, type, ...(pingSettings ? {} : { frequency: '1m' }) }
  return stringify([{ ...common, tags: demo.tags, ...demo.settings(target) }], { flowCollectionPadding: true, lineWidth: 0 })
}

export const metricsListRoutes: Routes = (app, { checkTypes }) => {
  const query = {
    checkType: requiredOneOf({ description: 'The check type whose metrics are listed.', choices: checkTypes.map(({ type }) => type) }),
  }
  const doc: Doc = {
    group: 'Analytics',
    summary: 'The metrics of a check type',
    query,
    answer: { description: 'One entry per metric name.', schema: { type: 'array', items: metricSchema } },
  }
  app.get('/v1/analytics/metrics', { config: { access: 'read', doc } }, async (request) => {
    const { checkType } = readParams(query, request.query)
    return checkTypes.filter(({ type }) => type === checkType).flatMap(metricEntries)
  })
}
