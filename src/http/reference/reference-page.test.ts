import { expect, test } from 'vitest'
import type { OpenApi, Operation, Parameter } from './openapi.ts'
import { referencePage, referencePolicy } from './reference-page.ts'

const parameter = (name: string, schema: object, more: Partial<Parameter> = {}): Parameter =>
  ({ name, in: 'query', required: false, description: `The ${name} <of it>.`, schema, ...more }) as Parameter
const operation = (operationId: string, tag: string, more: Partial<Operation> = {}): Operation => ({
  operationId,
  tags: [tag],
  summary: `Do ${operationId} & more`,
  security: [],
  parameters: [],
  responses: { 200: { description: 'It is <done>.', content: {} } },
  ...more,
})
const names = Array.from({ length: 13 }, (_, i) => `metric_${i}`)
const document = {
  openapi: '3.1.0',
  info: { title: 'Tidemark', version: '1', description: 'Checks & answers.' },
  servers: [{ url: '/' }],
  components: {},
  paths: {
    '/v1/checks': {
      get: operation('getChecks', 'Checks', {
        description: 'Lists <all>.',
        security: [{ key: [] }],
        parameters: [
          parameter('limit', { type: 'integer', minimum: 1, maximum: 100, default: 10 }),
          parameter('from', { type: 'integer', minimum: 0 }),
          parameter('big', { type: 'boolean', default: false }),
          parameter('kind', { type: 'string', enum: ['a', 'b<'] }, { required: true }),
          parameter('metrics', { type: 'array', items: { type: 'string', enum: [...names, 'availability'] } }, { required: true }),
          parameter('dozen', { type: 'string', enum: names.slice(0, 12) }),
          parameter('free', { type: 'array', items: { type: 'string' } }),
          parameter('bare', { type: 'string' }, { required: true }),
        ],
        responses: {
          200: {
            description: 'One.\nTwo.',
            content: {
              'application/json': { schema: { type: 'array' }, example: [{ id: '<1>' }] },
              'text/csv': { schema: { type: 'string' } },
            },
          },
          404: { description: 'None.', content: { 'application/json': { schema: { type: 'object' } } } },
        },
      }),
      post: operation('postChecks', 'Writes', {
        security: [{ key: [] }],
        requestBody: {
          required: true,
          description: 'The <check>.',
          content: { 'application/json': { example: { name: '"Shop"' } } },
        },
        responses: { 201: { description: 'Made.', content: { 'application/json': {} } } },
      }),
    },
    '/v1/checks/{id}': {
      delete: operation('deleteCheck', 'Writes', { parameters: [parameter('id', { type: 'string' }, { in: 'path', required: true })] }),
      put: operation('putCheck', 'Checks', {
        requestBody: { required: true, description: 'Lines.', content: { 'application/x-ndjson': { example: '{}\n{}' } } },
      }),
    },
  },
} as unknown as OpenApi

/** The content that is inserted into the built page. */
function contentOf(basePath: '' | `/${string}`): string {
  const page = referencePage(document, basePath)
  const end = '</main></div>'
  return `${page.slice(page.indexOf('<header class="top">'), page.lastIndexOf(end) + end.length)}\n`
}

test('the reference of an API matches test/golden', async () => {
  await expect(contentOf('')).toMatchFileSnapshot('../../../test/golden/reference.html.txt')
})

test('an example of text is shown as sent', () => {
  expect(contentOf('')).toContain('<summary>application/x-ndjson</summary><pre tabindex="0">{}\n{}</pre>')
})

test('links are below the base path', () => {
  const links = [...contentOf('/a&b').matchAll(/href="(\/[^"]*)"/g)].map(([, href]) => href)
  const paths = ['/', '/', '/overview', '/outages', '/alerts', '/slos', '/locations', '/docs', '/openapi.json']
  expect(links).toEqual(paths.map((path) => `/a&#38;b${path}`))
})

test('the page can load nothing from other hosts', () => {
  expect(referencePolicy.split('; ')).toEqual([
    "default-src 'none'",
    ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ])
})
