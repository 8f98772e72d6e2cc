import type { Check } from '../../catalogue/catalogue.ts'
import type { Draw } from '../../checks/demo.ts'
import { runLocationsOf } from '../../checks/probe/pings.ts'
import { sha256 } from '../../ids/sha256.ts'
import { resultOf } from '../../runner/evaluate.ts'
import type { Result, Window } from '../../store/store.ts'
import { logNormal, type Random, randomFrom } from './random.ts'
import { type Conditions, conditionsAt } from './scenario.ts'

/** Results of a check at one of its locations, oldest first. Deterministic; `end` is the end of the scenario. */
export function* inventResults(check: Check, runLocation: string, window: Window, end: number): Generator<Result> {
  const locationIndex = runLocationsOf(check).indexOf(runLocation)
  const seed = numberOf(`${check.account}/${check.id}/${runLocation}`)
  const offset = seed % check.everyMs
  const first = Math.ceil((window.from - offset) / check.everyMs)
  for (let slot = first; slot * check.everyMs + offset <= window.to; slot++) {
    const random = randomFrom(seed ^ Math.imul(slot, 0x9e3779b1))
    const startedAt = slot * check.everyMs + offset - Math.floor(random() * 900)
    yield inventResult(check, { runLocation, startedAt }, conditionsAt(end, { time: startedAt, locationIndex, tags: check.tags }), random)
  }
}

/** The approximate number of results that `inventResults` yields. */
export function expectedResults(check: Check, window: Window): number {
  return Math.max(0, Math.floor((window.to - window.from) / check.everyMs))
}

type RunStart = { readonly runLocation: string; readonly startedAt: number }

function inventResult(check: Check, moment: RunStart, conditions: Conditions, random: Random): Result {
  const failing = random() < conditions.failing
  const retried = failing || random() < conditions.retried
  const most = 1 + (check.retry?.maxRetries ?? 0)
  const attempts = retried ? (failing ? most : Math.min(2, most)) : 1
  const { state = null, ...measured } = check.checkType.demo.run(drawOf(conditions.level, failing, random))
  return { ...resultOf(check, { ...moment, attempts }, measured), state }
}

/** Mostly near the typical value, occasionally far above it. */
export function drawOf(level: number, failing: boolean, random: Random): Draw {
  const luck = random() < 0.012 ? 1 + 3 * random() : 1
  return {
    level,
    failing,
    around: (typical) => Math.round(logNormal(random, typical * level * luck, 0.22) * 1000) / 1000,
    chance: (probability) => random() < probability,
  }
}

function numberOf(text: string): number {
  return Number.parseInt(sha256(text).slice(7, 15), 16)
}
