import type { Rhythm } from '../../calendar/rhythm.ts'
import { derivedId } from '../../store/derived-id.ts'
import type { FiledResult } from '../../store/store.ts'
import { settledFrom } from '../../store/timeline/read-range.ts'
import { holdMs, holdsOf, isPinged, type Regime, rhythmText } from '../../store/timeline/regime.ts'
import { degradedCode, downCode, type Quorum, unknownCode } from '../../store/timeline/state.ts'
import { countReason, type ReasonCounts, usualReason } from '../../store/timeline/usual-reason.ts'
import { compareText } from '../../text/compare-text.ts'
import type { CheckFacts, FailedResult } from './check-facts.ts'
import {
  dropAfter,
  dropBefore,
  idOrder,
  insertRow,
  locationCode,
  noRows,
  type RecentRow,
  type RecentRows,
  resultRows,
} from './recent-rows.ts'
import { type Base, type KnownState, knownState, type StateFacts, stateFacts } from './state-facts.ts'

const maxReasons = 20

export type TrackedCheck = {
  readonly id: string
  readonly rhythm: Rhythm
  /** Where rules expect results. */
  readonly expectedAt: readonly string[]
  /** The quorums that rules use. */
  readonly quorums: readonly Quorum[]
  /** The most runs that a rule counts. */
  readonly runs: number
  /** The metric for the duration of a run; null if there is none. */
  readonly durationMetric: string | null
}

export type CheckTrack = {
  check: TrackedCheck
  regimes: readonly Regime[]
  readonly rows: RecentRows
  base: Base | null
  /** Results that start later than now, ascending. */
  future: FiledResult[]
  readonly reasons: ReasonCounts
  /** Whether a location fails, so that reasons belong to the same outage. */
  isFailing: boolean
  newestFailing: FailedResult | null
  newestDegraded: FailedResult | null
  certificate: { readonly at: number; readonly days: number } | null
  /** By the code of the location. */
  readonly newest: LocationRow[]
  facts: CheckFacts
  /** Whether everything is up, and has been for as many runs as any rule counts. */
  isSettled: boolean
}

/** The newest row of a location, and until when it holds. */
type LocationRow = {
  readonly time: number
  readonly outcome: number
  readonly until: number
  readonly id: number
  /** When the first of the consecutive rows with this outcome was received. */
  readonly receivedAt: number
}

const certificateField = 'sslDaysRemaining'
const maxFuture = 100
const maxRegimes = 8
const maxRows = 4096

const noFacts: CheckFacts = {
  states: new Map(),
  tally: new Int32Array(unknownCode + 1),
  downLocations: [],
  affectedLocations: [],
  known: 0,
  newestFailing: null,
  newestDegraded: null,
  usualReason: null,
  certificateDays: null,
  newestAt: null,
}

export function createTrack(check: TrackedCheck, regimes: readonly Regime[] = [{ ...check.rhythm, from: 0 }]): CheckTrack {
  return {
    check,
    regimes,
    rows: noRows(),
    base: null,
    future: [],
    reasons: new Map(),
    isFailing: false,
    newestFailing: null,
    newestDegraded: null,
    certificate: null,
    newest: [],
    facts: noFacts,
    isSettled: false,
  }
}

/** Applies a changed definition. Its rhythm determines how long results hold from now on. */
export function redefine(track: CheckTrack, check: TrackedCheck, now: number): void {
  const changed = rhythmText(check.rhythm) !== rhythmText(track.check.rhythm)
  if (changed) track.regimes = [...track.regimes, { ...check.rhythm, from: now }].slice(-maxRegimes)
  track.check = check
  track.isSettled = false
}

/** Forgets results that started later than now: the clock was set back, so they would hide those that come from now on. */
export function rewind(track: CheckTrack, now: number): void {
  const { rows, newest, newestFailing, newestDegraded, certificate, base } = track
  track.regimes = track.regimes.map((regime) => ({ ...regime, from: Math.min(regime.from, now) }))
  dropAfter(rows, now)
  newest.length = 0
  rows.times.forEach((time, row) => {
    const [location, outcome, id] = [rows.locations[row] as number, rows.outcomes[row] as number, rows.ids[row] as number]
    newest[location] = { time, outcome, until: time + holdAt(track, time), id, receivedAt: now }
  })
  if (base !== null && base.at > now) track.base = null
  if (newestFailing !== null && newestFailing.startedAt > now) track.newestFailing = null
  if (newestDegraded !== null && newestDegraded.startedAt > now) track.newestDegraded = null
  if (certificate !== null) track.certificate = { ...certificate, at: Math.min(certificate.at, now) }
  track.isSettled = false
}

/** Adds a result; false if it cannot have changed any relevant fact. */
export function addResult(track: CheckTrack, filed: FiledResult, now: number): boolean {
  const { result } = filed
  if (result.startedAt > now) {
    track.future.push(filed)
    track.future.sort((a, b) => a.result.startedAt - b.result.startedAt).splice(maxFuture)
    return false
  }
  const row: RecentRow = {
    time: result.startedAt,
    location: locationCode(track.rows, result.runLocation),
    outcome: result.hasFailures ? 2 : result.isDegraded ? 1 : 0,
    id: idOrder(result.id),
  }
  const repeats = track.isSettled && repeatsState(track, row)
  if (track.base !== null && row.time <= track.base.at && !rememberLate(track, row)) return true
  if (!insertRow(track.rows, row)) return false
  const current = track.newest[row.location]
  if (!current || current.time < row.time || (current.time === row.time && current.id < row.id)) {
    const isSame = current?.outcome === row.outcome && row.time <= current.until
    const receivedAt = isSame ? current.receivedAt : now
    track.newest[row.location] = { time: row.time, outcome: row.outcome, until: row.time + holdAt(track, row.time), id: row.id, receivedAt }
  }
  const isNews = noteDetails(track, filed)
  if (track.rows.times.length > capacityOf(track)) compact(track)
  return !repeats || isNews
}

/** Whether a result merely continues the state `up` of its location, as its newest result; for pings, as the newest of all locations. */
function repeatsState(track: CheckTrack, { time, location, outcome }: RecentRow): boolean {
  const current = track.newest[location]
  if (outcome !== 0 || current?.outcome !== 0 || time <= current.time || time > current.until) return false
  return !isPinged(track.check.rhythm) || time > (track.rows.times.at(-1) ?? 0)
}

/** A result from before the base makes the base uncertain. False if the result cannot affect the current state. */
function rememberLate(track: CheckTrack, row: RecentRow): boolean {
  const { base } = track
  if (base === null) return true
  const states = new Map(Array.from(base.states, ([quorum, known]): [Quorum, KnownState] => [quorum, { ...known, isCertain: false }]))
  track.base = { at: base.at, states }
  const current = track.newest[row.location]
  return current === undefined || current.time <= row.time
}

function holdAt({ regimes }: CheckTrack, time: number): number {
  const only = regimes.length === 1 ? regimes[0] : undefined
  return only ? holdMs(only) : (holdsOf(regimes).findLast(({ from }) => from <= time)?.ms ?? 0)
}

/** Records the details of a failure and the certificate; true if the days of the certificate have changed. */
function noteDetails(track: CheckTrack, { check, result }: FiledResult): boolean {
  const { startedAt, values } = result
  if (result.hasFailures) {
    if (!track.isFailing) track.reasons.clear()
    track.isFailing = true
    countReason(track.reasons, result.error, maxReasons)
    if (startedAt >= (track.newestFailing?.startedAt ?? 0)) track.newestFailing = failedResult(track, { check, result })
  } else if (result.isDegraded && startedAt >= (track.newestDegraded?.startedAt ?? 0)) {
    track.newestDegraded = failedResult(track, { check, result })
  }
  const days = values[certificateField]
  if (days === undefined || startedAt < (track.certificate?.at ?? 0)) return false
  const isNews = track.certificate?.days !== days
  track.certificate = { at: startedAt, days }
  return isNews
}

function failedResult({ check: { durationMetric } }: CheckTrack, { check, result }: FiledResult): FailedResult {
  const { id, startedAt, runLocation, error, values } = result
  return {
    id: id ?? derivedId(check, runLocation, startedAt),
    startedAt,
    runLocation,
    error,
    responseTimeMs: (durationMetric === null ? null : values[durationMetric]) ?? null,
    statusCode: values.statusCode ?? null,
  }
}

function capacityOf({ check, rows }: CheckTrack): number {
  const perLocation = Math.max(8, 2 * check.runs)
  return Math.min(maxRows, 2 * perLocation * Math.max(1, rows.names.length))
}

/** Drops the older half of the rows, and keeps the state at its end. Of rows before the base, and of the same instant, it is known already. */
function compact(track: CheckTrack): void {
  const { rows, regimes, base } = track
  const middle = rows.times.length >> 1
  const at = rows.times[middle] as number
  if (base === null || at > base.at) {
    const question = { rows: resultRows(rows), regimes, base, now: at }
    track.base = { at, states: new Map(track.check.quorums.map((quorum) => [quorum, knownState({ ...question, quorum })])) }
  }
  dropBefore(rows, middle)
}

export type Seed = {
  /** Results of the check as they are announced, in any order: all that started at `readFrom` or later, and any earlier ones. */
  readonly results: readonly FiledResult[]
  /** Null if all results were read. */
  readonly readFrom: number | null
  /** When the current outage began, by quorum, if known. */
  readonly outages: ReadonlyMap<Quorum, number>
}

/** Replaces the rows with results from the store. Results that arrived during the read must be added again. */
export function seedTrack(track: CheckTrack, seed: Seed, now: number): void {
  const { check, regimes, future, facts, rows } = track
  Object.assign(track, { ...createTrack(check, regimes), future, facts })
  // Codes of locations must not change.
  track.rows.names.push(...rows.names)
  for (const filed of seed.results) addResult(track, filed, now)
  if (seed.readFrom === null) return
  const outage = (since: number): KnownState => ({ state: 'down', since, isCertain: true, notDownSince: null })
  const states = new Map(Array.from(seed.outages, ([quorum, since]): [Quorum, KnownState] => [quorum, outage(since)]))
  track.base = { at: Math.min(now, settledFrom(regimes, seed.readFrom)), states }
}

/** Adds results that are no longer in the future, and finds the state at `now`. */
export function evaluate(track: CheckTrack, now: number): CheckFacts {
  while (track.future[0] && track.future[0].result.startedAt <= now) addResult(track, track.future.shift() as FiledResult, now)
  const { check, rows: recent, regimes, base } = track
  const rows = resultRows(recent)
  const isRoundRobin = isPinged(check.rhythm) || !check.rhythm.parallel
  const states = new Map(
    check.quorums.map((quorum): [Quorum, StateFacts] => [quorum, stateFacts({ rows, regimes, quorum, base, now }, isRoundRobin)]),
  )
  const tally = new Int32Array(unknownCode + 1)
  const down: string[] = []
  const affected: string[] = []
  recent.names.forEach((name, location) => {
    const code = codeAt(track, location, now)
    tally[code] = (tally[code] as number) + 1
    if (code === downCode) down.push(name)
    if (code === downCode || code === degradedCode) affected.push(name)
  })
  track.facts = {
    states,
    tally,
    downLocations: down.sort(compareText),
    affectedLocations: affected.sort(compareText),
    known: recent.names.length - (tally[unknownCode] as number),
    newestFailing: track.newestFailing,
    newestDegraded: track.newestDegraded,
    usualReason: usualReason(track.reasons),
    certificateDays: track.certificate?.days ?? null,
    newestAt: recent.times.at(-1) ?? null,
  }
  track.isFailing = down.length > 0
  const isLongUp = ({ state, runs }: StateFacts) => state === 'up' && runs >= check.runs
  track.isSettled = tally[0] === track.facts.known && [...states.values()].every(isLongUp)
  return track.facts
}

/** The state of a location at an instant. For checks that wait for pings, only the location of the last ping has a state. */
export function codeAt(track: CheckTrack, location: number, now: number): number {
  const { newest, rows, check } = track
  const row = newest[location]
  if (!row || row.time > now || row.until <= now) return unknownCode
  if (isPinged(check.rhythm) && rows.locations.at(-1) !== location) return unknownCode
  return row.outcome
}

/** Since when a location has been down without a gap, within the results that are kept. */
export function locationDownSince({ rows, regimes }: CheckTrack, location: number): number {
  const holds = holdsOf(regimes)
  let since = Number.POSITIVE_INFINITY
  for (let row = rows.times.length - 1; row >= 0; row--) {
    if (rows.locations[row] !== location) continue
    const time = rows.times[row] as number
    const hold = holds.findLast(({ from }) => from <= time)?.ms ?? 0
    if (rows.outcomes[row] !== downCode || (time + hold < since && since !== Number.POSITIVE_INFINITY)) break
    since = time
  }
  return since
}

/** When the state changes without a new result: the next hold ends, or the next future result starts. */
export function changesAt({ newest, future }: CheckTrack, now: number): number {
  let at = future[0]?.result.startedAt ?? Number.POSITIVE_INFINITY
  for (const row of newest) if (row && row.until > now && row.until < at) at = row.until
  return at
}
