import { dayMs } from '../time.ts'
import type { Window } from './store.ts'

/** Days are numbered from 1970-01-01, in UTC. */
export const dayOf = (time: number) => Math.floor(time / dayMs)
export const startOfDay = (day: number) => day * dayMs

/** A window that holds every instant. */
export const allTime: Window = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }

/** The date of a day number: `2026-11-14`. */
export const dateText = (day: number) => new Date(startOfDay(day)).toISOString().slice(0, 10)
