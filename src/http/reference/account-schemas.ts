import { evidenceModes } from '../../catalogue/catalogue.ts'
import { canaryReports } from '../../locations/protocol.ts'
import type { Schema } from '../route.ts'
import { anyString, decimal, decimalOrNull, objectOf, strings, time, whole, yesNo } from './schema-parts.ts'

export const accountSchema = objectOf({ id: anyString, name: anyString, runtimeId: anyString })

export const runtimeSchema = objectOf({
  name: anyString,
  multiStepSupport: yesNo,
  dependencies: { type: 'object', description: 'Packages that scripts can import, with versions.', additionalProperties: anyString },
})

export const userSchema = objectOf({ id: anyString, name: anyString, scopes: { ...strings, description: 'Scopes of the key.' } })

export const emptyPageSchema = objectOf({
  length: { const: 0 },
  entries: { type: 'array', items: {}, maxItems: 0 },
  nextId: { type: 'null' },
})

export const maintenanceSchema = objectOf({ name: anyString, from: time, to: time, checkIds: strings })

const assignment = objectOf({
  protocol: whole,
  account: anyString,
  location: anyString,
  addresses: objectOf({ allow: strings, deny: strings }),
  evidence: objectOf({ mode: { enum: evidenceModes }, evidenceBytes: whole, screenshotBytes: whole }),
  checks: {
    type: 'array',
    items: {
      ...objectOf({
        id: anyString,
        name: anyString,
        type: anyString,
        everyMs: decimal,
        locations: strings,
        secrets: strings,
        since: decimalOrNull,
        scripts: {
          description: 'The bundle of its files, or why they are not sent; null if it has none.',
          anyOf: [objectOf({ bundle: anyString }), objectOf({ problem: anyString }), { type: 'null' }],
        },
      }),
      description: 'In addition, the settings of the check as the config file has them, with the values of variables.',
      additionalProperties: true,
    },
  },
})

export const assignmentSchema: Schema = {
  ...assignment,
  properties: {
    ...(assignment.properties as Readonly<Record<string, Schema>>),
    canaries: {
      ...strings,
      description: 'Canaries that the location must reach, host:port; absent if none are configured.',
    },
    trials: {
      type: 'array',
      description: 'Checks to run once without storing; absent if there are none.',
      items: objectOf({ id: anyString, check: { type: 'object' } }),
    },
  },
}

export const scriptBundleSchema = objectOf({
  configDir: { type: 'string', description: 'Paths in the settings of the check are relative to this folder.' },
  files: { type: 'array', items: objectOf({ path: anyString, base64: anyString }) },
})

export const agentSchema = objectOf({
  instance: { type: 'string', description: 'Stable across restarts of the agent.' },
  name: { type: ['string', 'null'], description: 'Display name: its --name, by default the host name.' },
  version: anyString,
  state: { enum: ['live', 'silent', 'stopped'] },
  firstContact: time,
  lastContact: time,
  clockOffsetMs: { type: ['integer', 'null'], description: 'Server clock minus agent clock, as measured by the agent.' },
  stampsServerTime: { type: 'boolean', description: 'Whether its results use the time of the server, because its clock is off.' },
  backlog: { type: 'integer', description: 'Results waiting in its outbox.' },
  agentDropped: { type: 'integer', description: 'Results dropped because its outbox was full or they were too old.' },
  canary: {
    enum: [...canaryReports, null],
    description: 'Whether it reaches any canary of its location; null if there are none, or not reported.',
  },
  checks: { type: 'integer', description: 'Number of checks it runs.' },
})

export const locationSchema = objectOf({
  location: anyString,
  runBy: {
    enum: ['agents', 'server', 'none'],
    description: 'none: the location has no agent key, and is not in runner.locations of the config file.',
  },
  runsHere: {
    ...yesNo,
    description:
      'Whether this process runs its checks. With runBy server, false if it was started with --no-runner or for other locations: another process may run them.',
  },
  checks: whole,
  agents: { type: 'array', items: agentSchema },
})
