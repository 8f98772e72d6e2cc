import { evidenceModes } from '../../catalogue/catalogue.ts'
import { canaryReports } from '../../locations/protocol.ts'
import type { Schema } from '../route.ts'
import { anyString, decimal, decimalOrNull, objectOf, strings, time, whole, yesNo } from './schema-parts.ts'

export const accountSchema = objectOf({ id: anyString, name: anyString, runtimeId: anyString })

export const runtimeSchema = objectOf({
  name: anyString,
  multiStepSupport: yesNo,
  dependencies: { type: 'object', description: 'Packages that scripts can import, with their versions.', additionalProperties: anyString },
})

export const userSchema = objectOf({ id: anyString, name: anyString, scopes: { ...strings, description: 'What the key may do.' } })

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
          description: 'The bundle of its files, or why they are not sent; null where its runs need none.',
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
      description: 'What the location must be able to reach, host:port; absent where the config file names nothing.',
    },
    trials: {
      type: 'array',
      description: 'Checks that are not stored, to be run once; absent where there are none.',
      items: objectOf({ id: anyString, check: { type: 'object' } }),
    },
  },
}

export const scriptBundleSchema = objectOf({
  configDir: { type: 'string', description: 'Paths in the settings of the check are relative to this folder.' },
  files: { type: 'array', items: objectOf({ path: anyString, base64: anyString }) },
})

export const agentSchema = objectOf({
  instance: { type: 'string', description: 'Stays the same when the agent starts again.' },
  name: { type: ['string', 'null'], description: 'What people call it: its --name, by default the name of its machine.' },
  version: anyString,
  state: { enum: ['live', 'silent', 'stopped'] },
  firstContact: time,
  lastContact: time,
  clockOffsetMs: { type: ['integer', 'null'], description: "The server's clock minus the agent's, as the agent has measured it." },
  stampsServerTime: { type: 'boolean', description: 'Whether its results are stamped in the time of the server, since its clock is off.' },
  backlog: { type: 'integer', description: 'Results that wait in its outbox.' },
  agentDropped: { type: 'integer', description: 'Results that it had to drop, since its outbox was full or they were too old.' },
  canary: {
    enum: [...canaryReports, null],
    description: 'Whether it reaches any of the canaries of its location; null where there are none, or it has not said.',
  },
  checks: { type: 'integer', description: 'How many checks it runs.' },
})

export const locationSchema = objectOf({
  location: anyString,
  runBy: {
    enum: ['agents', 'server', 'none'],
    description: 'none: there is no key of agents for the location, and runner.locations of the config file leaves it out.',
  },
  runsHere: {
    ...yesNo,
    description:
      'Whether this process runs its checks. With runBy server, false where it was started with --no-runner or for other locations: another process may run them.',
  },
  checks: whole,
  agents: { type: 'array', items: agentSchema },
})
