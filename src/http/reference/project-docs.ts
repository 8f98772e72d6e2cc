import type { Params } from '../input/params.ts'
import { definitionErrors } from '../input/write-check.ts'
import { type Doc, eventStreamType, unusedBodyErrors } from '../route.ts'
import { deploymentSchema, deployResultSchema, destroyResultSchema, projectSchema } from './managed-schemas.ts'

const group = 'Projects'
const path = { logicalId: { type: 'string', description: 'The name of the project.' } }
const deploymentPath = { ...path, deploymentId: { type: 'string', description: 'The id of the deployment.' } }

const body = {
  description:
    'The project, and all of its resources: `{"project": {"logicalId", "name"}, "resources": [{"type", "logicalId", "payload"}], "sharedFiles": []}`; with `Content-Encoding: gzip`, compressed.',
  mediaType: 'application/json',
  schema: { type: 'object' },
}
const deployErrors: Doc['errors'] = [
  ...definitionErrors.filter((code) => code !== 'INVALID_DEFINITION'),
  'INVALID_PROJECT',
  'DEPLOYMENT_UNDER_WAY',
  'DEPLOYMENT_CONFLICT',
  'TOO_MANY_DEPLOYMENTS',
  'TOO_MANY_CHECKS',
  'DEFINITIONS_TOO_LONG',
  'MANAGED_OFF',
]

export const deployDoc = (query: Params): Doc => ({
  group,
  summary: 'Deploy a project',
  description:
    'Creates, replaces and deletes resources so that they match the request, atomically. Returns the finished deployment; with `dryRun=true` only its `result`.',
  query,
  body,
  answer: { description: 'The deployment, or what it would change.', schema: { anyOf: [deploymentSchema, deployResultSchema] } },
  errors: deployErrors,
})
export const oldDeployDoc = (query: Params): Doc => ({
  ...deployDoc(query),
  summary: 'Deploy a project (older clients)',
  description: 'As POST /v1/projects/deploy; the answer is the `result` of the deployment.',
  answer: { description: 'What it changed.', schema: deployResultSchema },
})
/** Routes of older clients are listed under Account, with the other routes that only clients use. */
export const docAt = (address: string, doc: Doc): Doc => (address.startsWith('/next') ? { ...doc, group: 'Account' } : doc)

export const listDoc: Doc = {
  group,
  summary: 'Projects of the account',
  query: {},
  answer: { description: 'All of them.', schema: { type: 'array', items: projectSchema } },
  errors: ['MANAGED_OFF'],
}
export const projectDoc: Doc = {
  group,
  summary: 'A project',
  path,
  query: {},
  answer: { description: 'The project.', schema: projectSchema },
  errors: ['PROJECT_NOT_FOUND', 'MANAGED_OFF'],
}
export const destroyDoc = (query: Params): Doc => ({
  group,
  summary: 'Delete a project with its resources',
  description: 'Results follow the usual retention. Does nothing if the project does not exist.',
  path,
  query,
  answer: { description: 'What was deleted.', schema: destroyResultSchema },
  errors: [
    'PROJECT_NOT_FOUND',
    'INVALID_PROJECT',
    'DEPLOYMENT_UNDER_WAY',
    'DEPLOYMENT_CONFLICT',
    'TOO_MANY_DEPLOYMENTS',
    'MANAGED_OFF',
    ...unusedBodyErrors,
  ],
})
export const deploymentDoc: Doc = {
  group,
  summary: 'A deployment',
  description: 'The last one of a project that changed something, or one that changed nothing.',
  path: deploymentPath,
  query: {},
  answer: { description: 'The deployment.', schema: deploymentSchema },
  errors: ['PROJECT_NOT_FOUND', 'DEPLOYMENT_NOT_FOUND', 'MANAGED_OFF'],
}
export const cancelDoc: Doc = {
  ...deploymentDoc,
  summary: 'Cancel a deployment',
  description: 'Has no effect: a deployment ends within moments and is not interrupted.',
  errors: [...(deploymentDoc.errors ?? []), ...unusedBodyErrors],
}
export const completionDoc = (query: Params): Doc => ({
  ...deploymentDoc,
  summary: 'Wait for a deployment',
  query,
  errors: [...(deploymentDoc.errors ?? []), 'DEPLOYMENT_NOT_ENDED'],
})
export const eventsDoc: Doc = {
  ...deploymentDoc,
  summary: 'A deployment as server-sent events',
  description: 'Events `progress`, and `complete` with the deployment at its end.',
  answer: {
    description: 'Events, until it ends.',
    mediaType: eventStreamType,
    schema: { type: 'string' },
    example: 'event: progress\ndata: {"progress": 100}\n\n',
  },
  errors: [...(deploymentDoc.errors ?? []), 'LINK_TO_STREAM'],
}
