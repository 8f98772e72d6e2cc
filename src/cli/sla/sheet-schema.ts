import { type Static, Type } from '../../schema/typebox.ts'

export const sheetFormat = 'tidemark-sla/1'

const Availability = Type.Union([Type.Number(), Type.Null()])
const Text = Type.String()
const TextOrNull = Type.Union([Text, Type.Null()])
const Timestamp = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })
const Texts = Type.Array(Text)
const Seconds = Type.Number({ minimum: 0 })
const Count = Type.Integer({ minimum: 0 })

const WindowSchema = Type.Object({
  /** Start and end are inclusive. */
  from: Timestamp,
  to: Timestamp,
  timezone: Text,
  /** Such as `2026-10`; null if the window is not a calendar month. */
  month: Type.Union([Type.String({ pattern: '^\\d{4}-\\d\\d$' }), Type.Null()]),
  /** Whether the window was cut because it had not ended when the sheet was made. */
  partial: Type.Boolean(),
})

/** How states are counted, as values of the API's parameters. */
const PolicySchema = Type.Object({
  quorum: Text,
  degraded: Text,
  maintenance: Text,
  minOutageSeconds: Seconds,
  serviceHours: TextOrNull,
})

const ByRunsSchema = Type.Object({ total: Count, success: Count, availability: Availability })

const ByTimeSchema = Type.Object({
  availability: Availability,
  upSeconds: Seconds,
  degradedSeconds: Seconds,
  downSeconds: Seconds,
  maintenanceSeconds: Seconds,
  unknownSeconds: Seconds,
})

const OutageSchema = Type.Object({
  from: Timestamp,
  /** Null if the outage had not ended when the sheet was made. */
  to: Type.Union([Timestamp, Type.Null()]),
  seconds: Seconds,
  locations: Texts,
  reason: TextOrNull,
  firstResultId: TextOrNull,
  lastResultId: TextOrNull,
  maintenance: Type.Boolean(),
})

/** The exported results of the window: their count, and the hash of their NDJSON bytes. */
const EvidenceSchema = Type.Object({ results: Count, bytes: Count, sha256: Text })

const CheckSchema = Type.Object({
  id: Text,
  name: Text,
  checkType: Text,
  byRuns: ByRunsSchema,
  byTime: ByTimeSchema,
  /** Oldest first. */
  outages: Type.Array(OutageSchema),
  evidence: EvidenceSchema,
})

const MaintenanceSchema = Type.Object({ name: Text, from: Timestamp, to: Timestamp, checkIds: Texts })

const TotalSchema = Type.Object({ byRuns: ByRunsSchema, byTime: ByTimeSchema, outages: Count })

const SheetSchema = Type.Object({
  format: Type.Literal(sheetFormat),
  version: Text,
  generatedAt: Timestamp,
  account: Text,
  selection: Type.Object({ tags: Texts, checks: Texts }),
  window: WindowSchema,
  policy: PolicySchema,
  total: TotalSchema,
  checks: Type.Array(CheckSchema),
  maintenance: Type.Array(MaintenanceSchema),
})

/** A sheet as stored in a file. */
export const SealedSheetSchema = Type.Object({ sheet: SheetSchema, fingerprint: Text })

type DeepReadonly<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> }

/** All data of a sheet. Every file format contains all of it. */
export type Sheet = DeepReadonly<Static<typeof SheetSchema>>
export type SealedSheet = DeepReadonly<Static<typeof SealedSheetSchema>>
export type SheetWindow = Sheet['window']
export type SheetPolicy = Sheet['policy']
export type SheetTotal = Sheet['total']
export type SheetCheck = Sheet['checks'][number]
export type SheetOutage = SheetCheck['outages'][number]
export type SheetMaintenance = Sheet['maintenance'][number]
export type ByRuns = SheetCheck['byRuns']
export type ByTime = SheetCheck['byTime']
export type SheetEvidence = SheetCheck['evidence']
