import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { triesOf } from '../../../test/support/tries.ts'
import { type DefinitionFault, type WireReader, wireReader } from '../../checks/wire-reader.ts'
import { isoText } from '../../time.ts'
import { parseWindow } from '../managed/maintenance-layer.ts'
import type { WrittenDefinition } from '../written-definition.ts'
import { readMaintenanceWindow, writeMaintenanceWindow } from './maintenance-window.ts'
import { readPrivateLocation, writePrivateLocation } from './private-location.ts'
import { webhookSettings } from './webhook-config.ts'

const runs = { numRuns: triesOf(200) }

function read(codec: (body: WireReader) => WrittenDefinition, body: unknown): WrittenDefinition | readonly DefinitionFault[] {
  const faults: DefinitionFault[] = []
  const reader = wireReader(JSON.parse(JSON.stringify(body)), { faults })
  const definition = codec(reader)
  reader.end()
  return faults.length > 0 ? faults : definition
}

const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/)
const instant = fc.integer({ min: 0, max: 2e12 }).map(isoText)

describe('a maintenance window', () => {
  const definitions = fc
    .record(
      {
        name: fc.string({ minLength: 1, maxLength: 200 }),
        from: instant,
        lastsMs: fc.integer({ min: 1, max: 86_400_000 }),
        repeat: fc.record(
          { every: fc.constantFrom('day', 'week', 'month'), interval: fc.integer({ min: 1, max: 100 }), until: instant },
          { requiredKeys: ['every'] },
        ),
        timezone: fc.constantFrom('Europe/Berlin', 'UTC'),
        tags: fc.uniqueArray(label, { minLength: 1, maxLength: 5 }),
      },
      { requiredKeys: ['name', 'from', 'lastsMs'] },
    )
    .map(({ lastsMs, ...entry }) => ({ ...entry, to: isoText(Date.parse(entry.from) + lastsMs) }))

  test('is read back as written', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        expect(parseWindow(definition)).toHaveProperty('policy')
        expect(read(readMaintenanceWindow, writeMaintenanceWindow(definition))).toEqual(definition)
      }),
      runs,
    )
  })

  test('is accepted as sent by the Go SDK, with its zero values', () => {
    const body = {
      id: 0,
      name: 'Night',
      startsAt: '2026-11-20T22:00:00.000Z',
      endsAt: '2026-11-20T23:00:00Z',
      created_at: '',
      updated_at: '',
    }
    const definition = { name: 'Night', from: '2026-11-20T22:00:00.000Z', to: '2026-11-20T23:00:00Z' }
    expect(read(readMaintenanceWindow, body)).toEqual(definition)
    expect(writeMaintenanceWindow(definition)).toMatchObject({ repeatUnit: null, repeatInterval: null, repeatEndsAt: null, tags: [] })
  })

  test('is accepted as sent by current clients, without a status page', () => {
    const body = {
      name: 'Night',
      startsAt: '2026-11-20T22:00:00Z',
      endsAt: '2026-11-20T23:00:00Z',
      repeatInterval: null,
      repeatUnit: null,
      repeatEndsAt: null,
      tags: ['shop'],
      timezone: null,
      pauseAllChecks: false,
      silenceAlertsTags: [],
      silenceAllAlerts: false,
      description: null,
      statusPageVisibility: {
        enabled: false,
        severity: null,
        affectAllServices: false,
        notifyOnStart: false,
        notifyOnEnd: false,
        suppressAutoIncidents: false,
        reminderMinutesBefore: [],
        autoStart: true,
        autoEnd: true,
        showAffectedServices: true,
        statusPageIds: [],
        serviceIds: [],
      },
    }
    const definition = { name: 'Night', from: body.startsAt, to: body.endsAt, tags: ['shop'] }
    expect(read(readMaintenanceWindow, body)).toEqual(definition)
    expect(writeMaintenanceWindow(definition)).toMatchObject({ tags: ['shop'], pauseAllChecks: false })
    const { tags: _, ...ofAll } = definition
    expect(read(readMaintenanceWindow, { ...body, tags: [], pauseAllChecks: true })).toEqual(ofAll)
    expect(writeMaintenanceWindow(ofAll)).toMatchObject({ tags: [], pauseAllChecks: true })
  })

  test.each([
    [{ pauseAllChecks: true, tags: ['shop'] }, '/tags'],
    [{ pauseAllChecks: false, tags: [] }, '/pauseAllChecks'],
    [{ pauseAllChecks: false }, '/pauseAllChecks'],
    [{ silenceAlertsTags: ['shop'] }, '/silenceAlertsTags'],
    [{ statusPageVisibility: { enabled: true } }, '/statusPageVisibility'],
    [{ statusPageVisibility: 'public' }, '/statusPageVisibility'],
    [{ repeatInterval: 2 }, '/repeatUnit'],
    [{ repeatEndsAt: '2026-12-01T00:00:00Z' }, '/repeatUnit'],
    [{ repeatUnit: 'YEAR' }, '/repeatUnit'],
    [{ tags: 'shop' }, '/tags'],
    [{ cron: '* * * * *' }, '/cron'],
  ])('with %j has a fault at %s', (more, pointer) => {
    const body = { name: 'Night', startsAt: '2026-11-20T22:00:00Z', endsAt: '2026-11-20T23:00:00Z', ...more }
    expect(read(readMaintenanceWindow, body)).toEqual([expect.objectContaining({ pointer })])
  })
})

describe('a private location', () => {
  test('is read back as written', () => {
    const definitions = fc.record({ name: fc.string({ minLength: 1 }), slugName: label, icon: label })
    fc.assert(
      fc.property(definitions, (definition) => {
        expect(read(readPrivateLocation, writePrivateLocation(definition))).toEqual(definition)
      }),
      runs,
    )
  })

  test('has an icon, which clients require', () => {
    expect(writePrivateLocation({ name: 'Lab', slugName: 'lab' })).toMatchObject({ icon: 'location' })
  })

  test('rejects a proxy', () => {
    expect(read(readPrivateLocation, { name: 'Lab', slugName: 'lab', proxyUrl: 'http://proxy' })).toEqual([
      expect.objectContaining({ pointer: '/proxyUrl' }),
    ])
  })
})

test.each([
  ['https://a.example/x', [], 'https://a.example/x'],
  ['https://a.example/x', [{ key: 'a b', value: '1&2' }], 'https://a.example/x?a%20b=1%262'],
  ['https://a.example/x?y=1', [{ key: 'a', value: '1' }], 'https://a.example/x?y=1&a=1'],
  ['https://a.example/x#top', [{ key: 'a', value: '$'.concat('{TOKEN}#') }], `https://a.example/x?a=${'$'.concat('{TOKEN}')}%23#top`],
])('a webhook calls %s with the parameters %j as %s', (url, queryParameters, called) => {
  expect(webhookSettings({ url, queryParameters })).toMatchObject({ type: 'webhook', url: called })
})
