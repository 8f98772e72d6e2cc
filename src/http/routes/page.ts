import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { memoize } from '../../cache/cache.ts'
import { apiError } from '../../errors.ts'
import { etagOf, matchesEtag } from '../output/etag.ts'
import { referenceTemplate } from '../reference/reference-page.ts'
import type { Deps, Routes } from '../route.ts'
import { builtHtml, builtRoot } from '../server/built-page.ts'
import type { BasePath } from '../server/request-head.ts'

/** Serves the web app to anyone; it reads its data from the API with the user's key. */
export const pageRoutes: Routes = (app, { signIn, basePath }) => {
  const files = memoizedFiles(basePath, () => new Map(builtFiles(basePath).map((file) => [file.path, file])))
  for (const [path, file] of files) {
    if (path.startsWith(assets)) continue
    for (const view of path === '/index.html' ? views : [path]) app.get(view, open, async (request, reply) => send(file, request, reply))
  }
  app.get<{ Params: { name: string } }>(`${assets}:name`, open, async (request, reply) => {
    const file = files.get(assets + request.params.name)
    if (!file) throw apiError('ROUTE_NOT_FOUND')
    return send(file, request, reply)
  })
  if (signIn) addSignIn(app, signIn)
}

/** Scripts and styles share one route: the server takes longer to start with a route for each. */
const assets = '/assets/'
const open = { config: { access: 'open' } } as const

type File = {
  readonly path: string
  readonly type: string
  readonly cacheControl: string
  readonly body: Buffer
  readonly etag: string
}

const views = [
  '/',
  '/checks/:id',
  '/checks/:id/badge',
  '/checks/:id/history',
  '/checks/:id/edit',
  '/checks/:id/runs/:resultId',
  '/alerts',
  '/alerts/:id',
  '/slos',
  '/slos/:id',
  '/locations',
  '/new',
  '/audit',
  '/deleted',
  '/overview',
  '/outages',
  '/wall',
]

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Keyed by base path, since a process may run several servers. */
const memoizedFiles = memoize<ReadonlyMap<string, File>>(10)

/** Empty if the web app is not built. */
function builtFiles(basePath: BasePath): readonly File[] {
  const root = builtRoot()
  if (root === undefined) return []
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => Object.hasOwn(types, extname(name)) && name !== referenceTemplate)
    .map((name) => builtFile(name, name === 'index.html' ? Buffer.from(builtHtml(root + name, basePath)) : readFileSync(root + name)))
}

function builtFile(name: string, body: Buffer): File {
  return {
    path: `/${name}`,
    type: types[extname(name)] ?? '',
    cacheControl: `/${name}`.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-cache',
    body,
    etag: etagOf(body),
  }
}

function send(file: File, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({
    'content-type': file.type,
    'content-security-policy': policy,
    'cache-control': file.cacheControl,
    'referrer-policy': 'no-referrer',
    etag: file.etag,
  })
  return matchesEtag(file.etag, request.headers['if-none-match']) ? reply.code(304).send() : reply.send(file.body)
}

/** Codes are short, and anyone may send one. */
const maxSignInBytes = 1024

function addSignIn(app: FastifyInstance, signIn: NonNullable<Deps['signIn']>): void {
  app.post('/sign-in', { bodyLimit: maxSignInBytes, config: { access: 'open' } }, async ({ body }, reply) => {
    const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
    const credentials = typeof code === 'string' ? signIn(code) : undefined
    if (!credentials) throw apiError('UNKNOWN_CODE')
    return reply.header('cache-control', 'no-store').send(credentials)
  })
}
