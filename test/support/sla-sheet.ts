import { totalOf } from '../../src/cli/sla/sheet.ts'
import { type Sheet, type SheetCheck, type SheetOutage, sheetFormat } from '../../src/cli/sla/sheet-schema.ts'

const policy = { quorum: '1', degraded: 'up', maintenance: 'exclude', minOutageSeconds: 0, serviceHours: null }

const outage = (from: string, to: string | null, more: Partial<SheetOutage> = {}): SheetOutage => ({
  from,
  to,
  seconds: (Date.parse(to ?? '2026-11-01T06:00:00.000Z') - Date.parse(from)) / 1000,
  locations: ['eu-west-1'],
  reason: 'connect ECONNREFUSED 203.0.113.7:443',
  firstResultId: '0193a1c2-0000-7000-8000-000000000001',
  lastResultId: '0193a1c2-0000-7000-8000-000000000009',
  maintenance: false,
  ...more,
})

const checkout: SheetCheck = {
  id: 'checkout',
  name: 'Checkout <live> & "paid"',
  checkType: 'SOME',
  byRuns: { total: 44700, success: 44610, availability: (44610 / 44700) * 100 },
  byTime: {
    availability: (2664300 / 2669700) * 100,
    upSeconds: 2660699.999,
    degradedSeconds: 3600,
    downSeconds: 5400,
    maintenanceSeconds: 7200,
    unknownSeconds: 5100,
  },
  outages: [
    outage('2026-10-04T00:30:00.000Z', '2026-10-04T01:15:00.000Z', { maintenance: true }),
    outage('2026-10-25T00:10:00.000Z', '2026-10-25T00:55:00.000Z', {
      locations: ['eu-west-1', 'us, "east"'],
      reason: '=cmd|calc\r\nexpected 200, got <503>',
    }),
    outage('2026-10-31T22:50:00.000Z', null, { reason: null, lastResultId: null }),
  ],
  evidence: { results: 44700, bytes: 9_876_543, sha256: '5e'.repeat(32) },
}

const search: SheetCheck = {
  id: 'search',
  name: 'Search',
  checkType: 'SOME',
  byRuns: { total: 0, success: 0, availability: null },
  byTime: { availability: null, upSeconds: 0, degradedSeconds: 0, downSeconds: 0, maintenanceSeconds: 0, unknownSeconds: 2681999.999 },
  outages: [],
  evidence: { results: 0, bytes: 0, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
}

const checks = [checkout, search]

/** A sheet with awkward content: markup, formulas, line breaks, no data, an ongoing outage. */
export const sampleSheet: Sheet = {
  format: sheetFormat,
  version: '0.1.0',
  generatedAt: '2026-11-01T06:00:00.000Z',
  account: 'acme',
  selection: { tags: ['shop'], checks: [] },
  window: { from: '2026-09-30T22:00:00.000Z', to: '2026-10-31T22:59:59.999Z', timezone: 'Europe/Berlin', month: '2026-10', partial: false },
  policy,
  total: totalOf(checks, policy),
  checks,
  maintenance: [{ name: 'Patch night', from: '2026-10-04T00:00:00.000Z', to: '2026-10-04T02:00:00.000Z', checkIds: ['checkout'] }],
}
