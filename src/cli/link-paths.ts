import { checkTypes } from '../checks/registry.ts'

const resources = [
  '/v1/maintenance-windows/{id}',
  '/v1/alert-channels/{id}',
  '/v1/check-groups/{id}',
  '/v2/check-groups/{id}',
  '/v1/variables/{key}',
  '/v1/private-locations/{id}',
]
const ofEachType = checkTypes.map(({ path }) => `/v1/analytics/${path}/{id}`)

/** Paths that a link may open by GET. */
export const linkedPaths: readonly string[] = [
  ...ofEachType,
  ...resources.flatMap((path) => [path.slice(0, path.lastIndexOf('/')), path, `${path}/versions`]),
  '/v1/analytics/metrics',
  '/v1/analytics/outages',
  '/v1/analytics/failures',
  '/v1/slos',
  '/v1/slos/{id}',
  '/v1/maintenance',
  '/v1/alerts',
  '/v1/alert-rules',
  '/v1/alerts/explain',
  '/v1/alerts/replay',
  '/v1/alerts/{id}',
  '/v1/silences',
  '/v1/check-alerts',
  '/v1/check-alerts/{id}',
  '/v1/check-definitions',
  '/v1/policy-definitions',
  '/v1/alert-notifications',
  '/v1/checks',
  '/v1/checks/{id}',
  '/v1/checks/{id}/definition',
  '/v1/checks/{id}/versions',
  '/v1/audit',
  '/v1/deleted-checks',
  '/v1/faulty-checks',
  '/v1/projects',
  '/v1/projects/{logicalId}',
  '/v1/projects/{logicalId}/deployments/{deploymentId}',
  '/v1/projects/{logicalId}/deployments/{deploymentId}/completion',
  '/v1/check-statuses',
  '/v1/check-statuses/{id}',
  '/v1/check-results/{id}',
  '/v2/check-results/{id}',
  '/v1/check-results/{id}/{resultId}',
  '/v1/check-results/{id}/export',
  '/v1/locations',
  '/v1/check-types',
  '/v1/badges/checks/{id}',
  '/v1/badges/checks/{id}.json',
  '/v1/badges/tags/{tag}',
  '/v1/badges/tags/{tag}.json',
]

/** Paths that a link may open by POST, with its body. */
export const linkedPosts: readonly string[] = ['/v1/analytics/checks', '/v1/analytics/query']

/** Whether a path without parameters matches one of the patterns. */
export function isOneOf(path: string, patterns: readonly string[]): boolean {
  const parts = path.replace(/\/$/, '').split('/')
  return patterns.some((pattern) => {
    const wanted = pattern.split('/')
    return wanted.length === parts.length && wanted.every((part, i) => (part.startsWith('{') ? parts[i] !== '' : part === parts[i]))
  })
}
