import { questionKinds, type ServerStats } from '../stats/server-stats.ts'
import { type ExpositionFormat, type Family, familyHeader, histogramSamples, labelText, sample } from '../text/exposition.ts'

type ProcessUsage = {
  readonly startedAt: number
  readonly cpuMicros: number
  readonly memory: Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed' | 'heapTotal' | 'external'>
}

export function processUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage()
  return { startedAt: performance.timeOrigin, cpuMicros: user + system, memory: process.memoryUsage() }
}

/** The health of the server itself: since its start, for all accounts together. */
export function serverMetrics(stats: ServerStats, usage: ProcessUsage, format: ExpositionFormat): string {
  const families: readonly (readonly [Family, (family: Family) => string])[] = [
    ...storeFamilies(stats),
    ...runnerFamilies(stats),
    ...processFamilies(stats, usage),
  ]
  return families.map(([family, samplesOf]) => `${familyHeader(family, format)}${samplesOf(family)}`).join('')
}

type Described = readonly [Family, (family: Family) => string]

const counter = (name: string, help: string, value: number): Described => [
  { name, type: 'counter', help },
  (family) => sample(family, '', value),
]
const gauge = (name: string, help: string, value: number): Described => [
  { name, type: 'gauge', help },
  (family) => sample(family, '', value),
]
const bytes = (name: string, help: string, value: number): Described => [
  { name, type: 'gauge', unit: 'bytes', help },
  (family) => sample(family, '', value),
]
const times = (name: string, help: string, samplesOf: (family: Family) => string): Described => [
  { name, type: 'histogram', unit: 'seconds', help },
  samplesOf,
]

function storeFamilies({ store }: ServerStats): readonly Described[] {
  const { append, commit, appended, duplicates, appendQueue, questions, questionQueue } = store
  return [
    times('tidemark_append_duration_seconds', 'Time from the arrival of results at the store until they are on disk.', (family) =>
      histogramSamples(family, '', append.read()),
    ),
    times('tidemark_commit_duration_seconds', 'Duration of result commits.', (family) => histogramSamples(family, '', commit.read())),
    counter('tidemark_appended_results', 'New results stored.', appended.read()),
    counter('tidemark_duplicate_results', 'Duplicate results.', duplicates.read()),
    gauge('tidemark_append_queue_results', 'Results waiting for a commit.', appendQueue.read()),
    times('tidemark_question_duration_seconds', 'Duration of store queries, including queueing.', (family) =>
      questionKinds.map((kind) => histogramSamples(family, labelText({ kind }), questions[kind].read())).join(''),
    ),
    gauge('tidemark_question_queue_calls', 'Query parts waiting for a thread.', questionQueue.read()),
  ]
}

function runnerFamilies({ runner }: ServerStats): readonly Described[] {
  const { delay, missedLate, missedOverlap, notMade, inProgress, outbox } = runner
  return [
    times('tidemark_scheduler_delay_seconds', 'Delay of run starts behind schedule.', (family) =>
      histogramSamples(family, '', delay.read()),
    ),
    [
      {
        name: 'tidemark_slots_missed',
        type: 'counter',
        help: 'Skipped runs: started too late, the previous run was still in progress, or this machine ran out of open files, ports, processes or memory.',
      },
      (family) =>
        sample(family, labelText({ reason: 'late' }), missedLate.read()) +
        sample(family, labelText({ reason: 'overlap' }), missedOverlap.read()) +
        sample(family, labelText({ reason: 'exhausted' }), notMade.read()),
    ],
    gauge('tidemark_runs_in_progress', 'Runs in progress or queued.', inProgress.read()),
    gauge('tidemark_outbox_results', 'Results of runs waiting for the store.', outbox.read()),
  ]
}

function processFamilies(
  { eventLoopDelay, lostThreads, store }: ServerStats,
  { startedAt, cpuMicros, memory }: ProcessUsage,
): readonly Described[] {
  return [
    times('tidemark_event_loop_delay_seconds', 'Event loop lag, measured ten times a second.', (family) =>
      histogramSamples(family, '', eventLoopDelay.read()),
    ),
    [
      {
        name: 'tidemark_threads_lost',
        type: 'counter',
        help: 'Threads replaced after a crash or call timeout; the log has the call.',
      },
      (family) =>
        Object.entries({ ...store.lostThreads, ...lostThreads })
          .map(([kind, lost]) => sample(family, labelText({ kind }), lost.read()))
          .join(''),
    ],
    bytes('process_resident_memory_bytes', 'Memory of the process.', memory.rss),
    bytes('nodejs_heap_size_used_bytes', 'Used heap of the main thread.', memory.heapUsed),
    bytes('nodejs_heap_size_total_bytes', 'Heap of the main thread.', memory.heapTotal),
    bytes('nodejs_external_memory_bytes', 'Memory outside the heap, such as buffers.', memory.external),
    [
      { name: 'process_cpu_seconds', type: 'counter', unit: 'seconds', help: 'CPU time of the process.' },
      (family) => sample(family, '', cpuMicros / 1e6),
    ],
    [
      { name: 'process_start_time_seconds', type: 'gauge', unit: 'seconds', help: 'Start time of the process.' },
      (family) => sample(family, '', startedAt / 1000),
    ],
  ]
}
