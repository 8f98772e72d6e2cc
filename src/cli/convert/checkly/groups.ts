import { isMapping, listOrNone } from '../../../collections/mapping.ts'
import type { ConversionDraft } from '../draft.ts'
import { fieldsOf, plainText, unreadLines } from '../fields.ts'

type Body = Readonly<Record<string, unknown>>

/** Settings that are merged into checks, replaced by alert rules, reported elsewhere or irrelevant. */
const carried = [
  ...[
    'id',
    'name',
    'activated',
    'muted',
    'tags',
    'locations',
    'privateLocations',
    'environmentVariables',
    'apiCheckDefaults',
    'retryStrategy',
  ],
  ...[
    'useGlobalAlertSettings',
    'alertSettings',
    'alertChannelSubscriptions',
    'runtimeId',
    'created_at',
    'updated_at',
    'createdAt',
    'updatedAt',
  ],
  ...['setupSnippetId', 'tearDownSnippetId', 'localSetupScript', 'localTearDownScript'],
]

/** Reports group settings that checks do not inherit. */
export function reportGroups(groups: readonly Body[], draft: ConversionDraft): void {
  for (const group of groups) {
    const fields = fieldsOf(group)
    fields.skip(...carried)
    draft.report(...unreadLines(fields, `group ${plainText(group.name) || 'unnamed'}`, reasons))
  }
}

const reasons: Readonly<Record<string, string>> = {
  concurrency: 'TIDEMARK_MAX_RUNS limits concurrent runs.',
  description: 'Groups do not support descriptions.',
  runParallel: 'Set runParallel per check.',
}

export function groupsById(groups: readonly Body[]): ReadonlyMap<string, Body> {
  return new Map(groups.map((group) => [plainText(group.id), group]))
}

const lists = ['tags', 'environmentVariables'] as const
/** Lists of a group that replace those of its checks. */
const overriding = ['locations', 'privateLocations'] as const

/** Merges the settings of a group into its check. */
export function flattened(body: Body, group: Body, item: string, draft: ConversionDraft): Body {
  const defaults = isMapping(group.apiCheckDefaults) ? group.apiCheckDefaults : {}
  const merged = Object.fromEntries(lists.map((name) => [name, [...listOrNone(group[name]), ...listOrNone(body[name])]]))
  const places = Object.fromEntries(overriding.flatMap((name) => (listOrNone(group[name]).length > 0 ? [[name, group[name]]] : [])))
  const scripts = ['setupSnippetId', 'tearDownSnippetId', 'localSetupScript', 'localTearDownScript'].filter((name) => group[name])
  for (const name of scripts) draft.lost(item, `group.${name}`, 'Setup and teardown scripts are not supported.')
  return {
    ...body,
    ...merged,
    ...places,
    tags: [...new Set(listOrNone(merged.tags))],
    ...(body.retryStrategy === 'FALLBACK' && { retryStrategy: group.retryStrategy ?? null }),
    ...(group.activated === false && { activated: false }),
    ...(group.muted === true && { muted: true }),
    ...(isMapping(body.request) && Object.keys(defaults).length > 0 && { request: requestOf(body.request, defaults) }),
  }
}

function requestOf(request: Body, defaults: Body): Body {
  const merged = (name: string) => [...listOrNone(defaults[name]), ...listOrNone(request[name])]
  const base = plainText(defaults.url)
  const auth = isMapping(request.basicAuth) && plainText(request.basicAuth.username) !== '' ? request.basicAuth : defaults.basicAuth
  const isOfApi = 'headers' in request || 'queryParameters' in request
  return {
    ...request,
    url: plainText(request.url).replace(/\{{2,3}\s*GROUP_BASE_URL\s*\}{2,3}/g, () => base),
    ...(isOfApi && { headers: merged('headers'), queryParameters: merged('queryParameters'), basicAuth: auth ?? null }),
    ...(listOrNone(defaults.assertions).length > 0 && isOfApi && { assertions: merged('assertions') }),
  }
}
