import { escapeMarkup } from '../../text/escape-markup.ts'
import { builtHtml, builtRoot } from '../server/built-page.ts'
import type { BasePath } from '../server/request-head.ts'
import type { OpenApi, Operation, Parameter } from './openapi.ts'

/** The script of the page calls the API of the same origin; nothing is loaded from elsewhere. */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The built HTML file into which the reference is inserted. */
export const referenceTemplate = 'reference.html'
const place = '<div id="reference"></div>'
const plainTemplate = `<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>API</title></head><body>${place}</body></html>`

type Entry = { readonly method: string; readonly path: string; readonly operation: Operation }

/** The OpenAPI document as one HTML page. Readable without scripts, and without styles if the web app is not built. */
export function referencePage({ info, paths }: OpenApi, basePath: BasePath): string {
  const entries = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const root = builtRoot()
  const template = root === undefined ? plainTemplate : builtHtml(root + referenceTemplate, basePath)
  const base = escapeMarkup(basePath)
  const content = `<header class="top"><a class="brand" href="${base}/">Tidemark</a><nav class="views" aria-label="Views">${links(base)}</nav></header>
<div class="reference">
<nav aria-label="Endpoints"><div id="reference-search"></div>${menu(entries)}</nav>
<main id="top"><h1>${escapeMarkup(info.title)} API</h1><p>${escapeMarkup(info.description)}</p>
<p>Every request requires a key and an account: <code>Authorization: Bearer &lt;API_KEY&gt;</code> and <code>X-Service-Account: &lt;ACCOUNT_ID&gt;</code>.
For machines, the same in OpenAPI 3.1: <a href="${base}/openapi.json">openapi.json</a>.</p>
${entries.map(section).join('\n')}
</main></div>`
  return template.replace(place, () => content)
}

/** Navigation for readers without scripts; with scripts, the page renders its own. */
const views = { Checks: '/', Overview: '/overview', Outages: '/outages', Alerts: '/alerts', SLOs: '/slos', Locations: '/locations' }

function links(base: string): string {
  const all = Object.entries(views).map(([name, path]) => `<a href="${base}${path}">${name}</a>`)
  return [...all, `<a href="${base}/docs" aria-current="page">API</a>`].join('')
}

function menu(entries: readonly Entry[]): string {
  const groups = [...new Set(entries.map(({ operation }) => operation.tags.join()))]
  return groups
    .map((group) => {
      const links = entries
        .filter(({ operation }) => operation.tags.join() === group)
        .map(({ operation }) => `<li><a href="#${escapeMarkup(operation.operationId)}">${escapeMarkup(operation.summary)}</a></li>`)
      return `<div class="endpoints"><h2>${escapeMarkup(group)}</h2><ul>${links.join('')}</ul></div>`
    })
    .join('')
}

function section({ method, path, operation }: Entry): string {
  const { operationId, summary, description = '', parameters, requestBody, responses } = operation
  return `<section id="${escapeMarkup(operationId)}"><h2>${escapeMarkup(summary)}</h2>
<div class="call"><b class="${method.toLowerCase()}">${method}</b><code>${escapeMarkup(path)}</code></div>
<p>${escapeMarkup(description)}</p>
${parameters.length > 0 ? table('Parameters', parameters.map(parameterRow)) : ''}
${requestBody ? `<h3>Body</h3><p>${escapeMarkup(requestBody.description)}</p>${contents(requestBody.content)}` : ''}
<h3>Example</h3><div class="example"><pre tabindex="0">${escapeMarkup(example({ method, path, operation }))}</pre></div>
<div data-try="${escapeMarkup(JSON.stringify(tryable({ method, path, operation })))}"></div>
${table(
  'Answers',
  Object.entries(responses).map(([status, { description: words, content }]) => {
    const description = escapeMarkup(words).replaceAll('\n', '<br>')
    return `<tr><th scope="row">${status}</th><td>${description}${status.startsWith('2') ? contents(content) : ''}</td></tr>`
  }),
)}</section>`
}

/** The data that the page's script needs to send the call. */
function tryable({ method, path, operation: { parameters, requestBody } }: Entry) {
  const [body] = Object.entries(requestBody?.content ?? {}).map(([type, { example = '' }]) => ({
    type,
    example: typeof example === 'string' ? example : JSON.stringify(example, null, 2),
  }))
  return {
    method,
    path,
    parameters: parameters.map(({ name, in: where, required, schema }) => ({ name, in: where, required, ...choicesOf(schema) })),
    ...(body && { body }),
  }
}

/** The allowed values of a parameter that takes one of them, or a list. */
function choicesOf(schema: Readonly<Record<string, unknown>>) {
  const isList = schema.type === 'array'
  const { enum: choices } = (isList ? schema.items : schema) as { readonly enum?: readonly unknown[] }
  return choices === undefined ? {} : { choices: choices.map(String), ...(isList && { list: true }) }
}

function table(title: string, rows: readonly string[]): string {
  return `<h3>${title}</h3><div class="table"><table class="${title.toLowerCase()}">${rows.join('')}</table></div>`
}

function parameterRow({ name, required, description = '', schema }: Parameter): string {
  const note = required ? ' <small>required</small>' : ''
  return `<tr><th scope="row"><code>${escapeMarkup(name)}</code>${note}</th><td class="names">${escapeMarkup(description)}<br><small>${values(schema)}</small></td></tr>`
}

function values(schema: Readonly<Record<string, unknown>>): string {
  if (schema.type === 'array') return `A list. ${values(schema.items as Readonly<Record<string, unknown>>)}`
  const choices = Array.isArray(schema.enum) ? schema.enum.map(String) : []
  const words = [
    choices.length > 12
      ? `<details><summary>${choices.length} names</summary>${escapeMarkup(choices.join(', '))}</details>`
      : escapeMarkup(choices.join(', ')),
    schema.minimum === undefined ? '' : `From ${schema.minimum}${schema.maximum === undefined ? '' : ` to ${schema.maximum}`}.`,
    schema.default === undefined ? '' : `Default: ${escapeMarkup(String(schema.default))}.`,
  ]
  return words.filter((word) => word !== '').join(' ')
}

function contents(content: Operation['responses'][string]['content']): string {
  return Object.entries(content)
    .map(([mediaType, { schema, example }]) => {
      const shown = example === undefined ? schema : example
      const isText = typeof shown === 'string' && mediaType !== 'application/json'
      const body = shown === undefined ? '' : `<pre tabindex="0">${escapeMarkup(isText ? shown : JSON.stringify(shown, null, 2))}</pre>`
      return `<details><summary>${escapeMarkup(mediaType)}</summary>${body}</details>`
    })
    .join('')
}

function example({ method, path, operation }: Entry): string {
  const query = operation.parameters
    .filter(({ in: where, required }) => where === 'query' && required)
    .map(({ name, schema }) => `${name}=${sample(schema)}`)
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} "$BASE_URL${path}${query.length > 0 ? `?${query.join('&')}` : ''}"`]
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $API_KEY"', '-H "X-Service-Account: $ACCOUNT_ID"')
  if (operation.requestBody) lines.push(`-H "Content-Type: ${Object.keys(operation.requestBody.content).join()}"`, '-d @body')
  return lines.join(' \\\n  ')
}

function sample(schema: Readonly<Record<string, unknown>>): string {
  const { enum: choices = [] } = (schema.type === 'array' ? schema.items : schema) as { readonly enum?: readonly string[] }
  return choices.includes('availability') ? 'availability' : (choices[0] ?? '')
}
