import { expect, test } from 'vitest'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import { policyDefinitions } from './policy-definitions.ts'

const account = {
  id: 'acme',
  maintenance: [
    { name: 'Move', from: '2026-11-20T22:00:00+01:00', to: '2026-11-21T02:00:00+01:00', checks: ['shop'] },
    {
      name: 'Backup',
      from: '2026-11-20T22:00:00Z',
      to: '2026-11-20T23:00:00Z',
      repeat: { every: 'week', interval: 2, until: '2027-01-01T00:00:00Z' },
      timezone: 'Europe/Berlin',
    },
    { name: 'Patch night', every: 'week', on: ['wed'], at: '02:05', for: '1h', timezone: 'Europe/Berlin', tags: ['web'] },
    { name: 'Rotation', every: 'day', at: '12:30', for: '5m', timezone: 'UTC' },
  ],
  serviceHours: [{ name: 'office', days: ['mon', 'fri'], from: '08:00', to: '20:00', timezone: 'Europe/Berlin' }],
  slos: [
    { id: 'open', name: 'Open', tags: ['web'], objective: { kind: 'availability', by: 'time', target: 99.5 }, window: '30d' },
    {
      id: 'month',
      checks: ['shop'],
      objective: { kind: 'availability', target: 99 },
      window: { calendar: 'month', timezone: 'Europe/Berlin' },
    },
  ],
  channels: [{ id: 'ops', type: 'webhook', url: 'https://hooks.example.com/secret-4711' }],
  alerts: [
    { id: 'down', tags: ['web'], when: 'failing', after: { runs: 2 }, to: ['ops'], remind: { every: '1h', times: 3 } },
    { id: 'burning', when: { sloBurn: { slos: ['open'] } }, to: ['ops'] },
  ],
  canary: { 'eu-west-1': ['192.0.2.1:443'] },
  deadManSwitch: { url: 'https://ping.example.com/secret-4712', every: '2m' },
  checks: [{ ...exampleCheck(anyRunType()), id: 'shop', tags: ['web'] }],
}

test('definitions are listed by kind with their effective values, without secrets and managed resources', () => {
  const parsed = parseConfig(JSON.stringify({ accounts: [account] }), {})
  const policies = 'config' in parsed ? parsed.config.policies.get('acme') : undefined
  if (!policies) throw new Error(JSON.stringify(parsed))
  const shown = policyDefinitions(policies, ['office'])
  expect(JSON.stringify(shown)).not.toContain('secret-471')
  expect(shown).toMatchInlineSnapshot(`
    [
      {
        "definition": {
          "checks": [
            "shop",
          ],
          "from": "2026-11-20T21:00:00.000Z",
          "tags": [],
          "to": "2026-11-21T01:00:00.000Z",
        },
        "kind": "maintenance",
        "name": "Move",
      },
      {
        "definition": {
          "checks": [],
          "from": "2026-11-20T22:00:00.000Z",
          "repeat": {
            "every": "week",
            "interval": 2,
            "until": "2027-01-01T00:00:00.000Z",
          },
          "tags": [],
          "timezone": "Europe/Berlin",
          "to": "2026-11-20T23:00:00.000Z",
        },
        "kind": "maintenance",
        "name": "Backup",
      },
      {
        "definition": {
          "at": "02:05",
          "checks": [],
          "every": "week",
          "forSeconds": 3600,
          "on": [
            "wed",
          ],
          "tags": [
            "web",
          ],
          "timezone": "Europe/Berlin",
        },
        "kind": "maintenance",
        "name": "Patch night",
      },
      {
        "definition": {
          "at": "12:30",
          "checks": [],
          "every": "day",
          "forSeconds": 300,
          "tags": [],
          "timezone": "UTC",
        },
        "kind": "maintenance",
        "name": "Rotation",
      },
      {
        "definition": {
          "days": [
            "mon",
            "fri",
          ],
          "from": "08:00",
          "timezone": "Europe/Berlin",
          "to": "20:00",
        },
        "kind": "serviceHours",
        "name": "office",
      },
      {
        "definition": {
          "checks": [],
          "name": "Open",
          "objective": {
            "by": "time",
            "kind": "availability",
            "target": 99.5,
          },
          "tags": [
            "web",
          ],
          "window": "30d",
        },
        "kind": "slo",
        "name": "open",
      },
      {
        "definition": {
          "checks": [
            "shop",
          ],
          "name": "month",
          "objective": {
            "by": "runs",
            "kind": "availability",
            "target": 99,
          },
          "tags": [],
          "window": {
            "calendar": "month",
            "timezone": "Europe/Berlin",
          },
        },
        "kind": "slo",
        "name": "month",
      },
      {
        "definition": {
          "type": "webhook",
          "url": "https://hooks.example.com/•••",
        },
        "kind": "channel",
        "name": "ops",
      },
      {
        "definition": {
          "after": {
            "runs": 2,
            "seconds": null,
          },
          "burns": [],
          "certificateDays": [],
          "checks": [],
          "group": {
            "by": "none",
            "waitSeconds": 0,
          },
          "quorum": 1,
          "recoverAfter": {
            "runs": 1,
            "seconds": null,
          },
          "remind": {
            "everySeconds": 3600,
            "times": 3,
          },
          "severity": "critical",
          "slos": [],
          "steps": [
            {
              "afterSeconds": 0,
              "during": null,
              "outside": "hold",
              "to": [
                "ops",
              ],
            },
          ],
          "tags": [
            "web",
          ],
          "when": "failing",
        },
        "kind": "alert",
        "name": "down",
      },
      {
        "definition": {
          "after": {
            "runs": 1,
            "seconds": null,
          },
          "burns": [
            {
              "factor": 14.4,
              "longSeconds": 3600,
              "shortSeconds": 300,
            },
            {
              "factor": 6,
              "longSeconds": 21600,
              "shortSeconds": 1800,
            },
            {
              "factor": 3,
              "longSeconds": 86400,
              "shortSeconds": 7200,
            },
            {
              "factor": 1,
              "longSeconds": 259200,
              "shortSeconds": 21600,
            },
          ],
          "certificateDays": [],
          "checks": [],
          "group": {
            "by": "none",
            "waitSeconds": 0,
          },
          "quorum": 1,
          "recoverAfter": {
            "runs": 1,
            "seconds": null,
          },
          "remind": null,
          "severity": "warning",
          "slos": [
            "open",
          ],
          "steps": [
            {
              "afterSeconds": 0,
              "during": null,
              "outside": "hold",
              "to": [
                "ops",
              ],
            },
          ],
          "tags": [],
          "when": "sloBurn",
        },
        "kind": "alert",
        "name": "burning",
      },
      {
        "definition": {
          "targets": [
            "192.0.2.1:443",
          ],
        },
        "kind": "canary",
        "name": "eu-west-1",
      },
      {
        "definition": {
          "everySeconds": 120,
          "url": "https://ping.example.com/•••",
        },
        "kind": "deadManSwitch",
        "name": "deadManSwitch",
      },
      {
        "definition": {},
        "kind": "agentLocation",
        "name": "office",
      },
    ]
  `)
  const managed = {
    ...policies,
    maintenance: policies.maintenance.map((one) => ({ ...one, isManaged: true })),
    channels: policies.channels.map((one) => ({ ...one, managed: { number: 1 } })),
  } as unknown as typeof policies
  const kinds = (some: typeof shown) => [...new Set(some.map(({ kind }) => kind))]
  expect(kinds(shown)).toContain('channel')
  expect(kinds(policyDefinitions(managed, []))).toEqual(['serviceHours', 'slo', 'alert', 'canary', 'deadManSwitch'])
})
