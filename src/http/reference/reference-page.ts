import { createHash } from 'node:crypto'
import { escapeMarkup } from '../../text/escape-markup.ts'
import type { BasePath } from '../base-path.ts'
import type { OpenApi, Operation, Parameter } from './openapi.ts'

const style = `
:root { color-scheme: light dark; --ink: #17202b; --soft: #53606f; --line: #dde3ea; --paper: #fff; --tint: #f4f7fa; --get: #0b6e4f; --post: #8a4b08; --link: #0b5cad }
@media (prefers-color-scheme: dark) { :root { --ink: #e4eaf1; --soft: #9fadbd; --line: #2b3644; --paper: #10161d; --tint: #18212b; --get: #5fd3a5; --post: #f0b056; --link: #7db8f5 } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
a { color: var(--link); text-decoration: none }
a:hover, a:focus-visible { text-decoration: underline }
.page { display: grid; grid-template-columns: 19rem minmax(0, 1fr); max-width: 80rem; margin: 0 auto }
nav { position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: .875rem }
nav h2 { margin: 1.25rem 0 .25rem; font-size: .8rem; color: var(--soft); font-weight: 600 }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li { padding: .15rem 0 }
main { padding: 2rem 2.5rem 6rem }
h1 { margin: 0; font-size: 2rem; letter-spacing: -.02em }
section { padding-top: 2.5rem; margin-top: 2.5rem; border-top: 1px solid var(--line) }
h2 { font-size: 1.35rem; margin: 0 0 .5rem }
h3 { font-size: .95rem; margin: 1.5rem 0 .5rem; color: var(--soft) }
code, pre { font: .85rem/1.5 ui-monospace, monospace }
pre { background: var(--tint); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere }
.call { display: flex; gap: .75rem; align-items: baseline; flex-wrap: wrap; background: var(--tint); border-radius: .5rem; padding: .55rem .9rem }
.call b { font: 600 .85rem ui-monospace, monospace; color: var(--get) }
.call b.post { color: var(--post) }
.table { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line) }
th { font-weight: 600; white-space: nowrap; width: 13rem }
.answers th { width: 4rem }
small { color: var(--soft); font-size: .8rem }
details summary { cursor: pointer; color: var(--link) }
td.names { overflow-wrap: anywhere }
@media (max-width: 50rem) { .page { display: block } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line) } main { padding: 1.5rem 1rem } }
`

const styleHash = createHash('sha256').update(style).digest('base64')

/** The page has one inline style: no script, no image, nothing external. */
export const referencePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'`

type Entry = { readonly method: string; readonly path: string; readonly operation: Operation }

/** The OpenAPI document as one HTML page. */
export function referencePage({ info, paths }: OpenApi, basePath: BasePath): string {
  const entries = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const title = `${escapeMarkup(info.title)} API`
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head>
<body><div class="page">
<nav aria-label="Endpoints"><a href="#top"><b>${title}</b></a>${menu(entries)}</nav>
<main id="top"><h1>${title}</h1><p>${escapeMarkup(info.description)}</p>
<p>Every call carries a key and an account: <code>Authorization: Bearer &lt;API_KEY&gt;</code> and <code>X-Service-Account: &lt;ACCOUNT_ID&gt;</code>.
For machines, the same in OpenAPI 3.1: <a href="${escapeMarkup(basePath)}/openapi.json">openapi.json</a>.</p>
${entries.map(section).join('\n')}
</main></div></body></html>
`
}

function menu(entries: readonly Entry[]): string {
  const groups = [...new Set(entries.map(({ operation }) => operation.tags.join()))]
  return groups
    .map((group) => {
      const links = entries
        .filter(({ operation }) => operation.tags.join() === group)
        .map(({ operation }) => `<li><a href="#${escapeMarkup(operation.operationId)}">${escapeMarkup(operation.summary)}</a></li>`)
      return `<h2>${escapeMarkup(group)}</h2><ul>${links.join('')}</ul>`
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
<h3>Example</h3><pre>${escapeMarkup(example({ method, path, operation }))}</pre>
${table(
  'Answers',
  Object.entries(responses).map(([status, { description: words, content }]) => {
    const description = escapeMarkup(words).replaceAll('\n', '<br>')
    return `<tr><th scope="row">${status}</th><td>${description}${status === '200' ? contents(content) : ''}</td></tr>`
  }),
)}</section>`
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
      const text = example === undefined ? schema : example
      const body = text === undefined ? '' : `<pre>${escapeMarkup(JSON.stringify(text, null, 2))}</pre>`
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
