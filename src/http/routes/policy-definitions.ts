import { callerOf } from '../hooks/auth.ts'
import { readParams } from '../input/params.ts'
import { pageParams } from '../input/window-params.ts'
import { pageWithRange, rangeHeaders } from '../output/page-headers.ts'
import { policyDefinitions, policyKinds } from '../output/policy-definitions.ts'
import { anyString, objectOf } from '../reference/schema-parts.ts'
import type { Doc, Routes } from '../route.ts'

export const policyDefinitionRoutes: Routes = (app, { catalogue, basePath }) => {
  app.get('/v1/policy-definitions', { config: { access: 'read', doc } }, async (request, reply) => {
    const params = readParams(pageParams, request.query)
    const { id } = callerOf(request).account
    const managed = catalogue.managedLocations(id)
    const ofFile = catalogue.agentLocations(id).filter((location) => !managed.has(location))
    const all = policyDefinitions(catalogue.policies(id), ofFile)
    return pageWithRange(all, { ...params, request, reply, basePath })
  })
}

const doc: Doc = {
  group: 'Checks',
  summary: 'Definitions in the config file other than checks',
  description:
    "Maintenance, service hours, SLOs, channels, alert rules, canaries, the dead man's switch and locations of agents, as applied: times in ISO 8601, durations in seconds, secrets redacted. Does not list keys or anything managed over the API. `tidemark diff` compares it with a file.",
  query: pageParams,
  answer: {
    description: 'A page of definitions, kind by kind, in the order of the file; empty past the end.',
    schema: {
      type: 'array',
      items: objectOf({
        kind: { enum: [...policyKinds] },
        name: { ...anyString, description: 'Its id or name. Maintenance names need not be unique.' },
        definition: { type: 'object', additionalProperties: {} },
      }),
    },
    example: [{ kind: 'canary', name: 'eu-west-1', definition: { targets: ['192.0.2.1:443'] } }],
    headers: rangeHeaders,
  },
}
