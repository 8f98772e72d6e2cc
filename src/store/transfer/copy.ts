import { checkKey } from '../../ids/check-ref.ts'
import { type LogPlace, logStart } from '../documents/document-log.ts'
import type { CheckRef } from '../store.ts'
import { type BatchedAppend, createBatchedAppend } from './batched-append.ts'
import type { Contents, Destination } from './contents.ts'
import { filedResults } from './filed-results.ts'
import { type DifferingDay, differingDays, windowsToCopy } from './plan-copy.ts'

export type Copy = {
  readonly source: Contents
  readonly destination: Destination
  /** Called with the number of results of the source processed since the last call. */
  readonly advance: (results: number) => void
  readonly settled: SettledDays
}

/**
 * Days on which the destination has results that the source lacks, so that the counts of both differ permanently. The value is the count of
 * the source when all of its results were copied.
 */
type SettledDays = Map<string, number>

/** Checks whose days are counted and compared at a time. */
const checksPerStep = 50

/**
 * Copies missing data of checks: their definitions, and the results of days whose counts differ. Duplicates change nothing, so a copy can
 * be interrupted and restarted at any point. Returns the number of results added.
 */
export async function copyChecks(copy: Copy, checks: readonly CheckRef[]): Promise<number> {
  const batch = createBatchedAppend(copy.destination)
  for (let from = 0; from < checks.length; from += checksPerStep) await copyStep(copy, batch, checks.slice(from, from + checksPerStep))
  await batch.flush()
  return batch.added()
}

async function copyStep(copy: Copy, batch: BatchedAppend, checks: readonly CheckRef[]): Promise<void> {
  const { source, destination, advance, settled } = copy
  const histories = await source.definitionsOf(checks)
  await destination.addDefinitions(checks.map((check, i) => ({ check, changes: histories[i] ?? [] })))
  const [own, existing] = await Promise.all([source.dayCounts(checks), destination.dayCounts(checks)])
  for (const [i, check] of checks.entries()) {
    const counts = own[i] ?? []
    const days = differingDays(counts, existing[i] ?? []).filter(({ day, results }) => settled.get(`${checkKey(check)} ${day}`) !== results)
    advance(counts.reduce((sum, { results }) => sum + results, 0) - days.reduce((sum, { results }) => sum + results, 0))
    await copyDays(copy, batch, { check, days })
  }
}

type CheckDays = { readonly check: CheckRef; readonly days: readonly DifferingDay[] }

/** Copies days of a check; they are stored once the batch is flushed. */
export async function copyDays(copy: Copy, batch: BatchedAppend, { check, days }: CheckDays): Promise<void> {
  for await (const window of windowsToCopy(copy, check, days))
    for await (const results of filedResults(copy.source, check, window)) {
      await batch.add(results)
      copy.advance(results.length)
    }
  for (const { day, results, existing } of days) if (existing > 0) copy.settled.set(`${checkKey(check)} ${day}`, results)
}

const versionsPerStep = 200

/** Copies all versions of documents that the destination lacks; returns how many. */
export async function copyDocuments(source: Contents, destination: Destination): Promise<number> {
  let copied = 0
  for (let place: LogPlace = logStart; ; ) {
    const versions = await source.documentsAfter(place, versionsPerStep)
    if (versions.length === 0) return copied
    copied += await destination.addDocuments(versions)
    place = versions.at(-1) ?? place
  }
}
