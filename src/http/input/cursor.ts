import { apiError } from '../../errors.ts'
import { idGrammar } from '../../ids/id-grammar.ts'
import type { LogPlace } from '../../store/documents/document-log.ts'
import type { OutagePosition } from '../../store/state-questions.ts'
import type { Position, Window } from '../../store/store.ts'
import { lastInstant } from '../../time.ts'
import type { Field } from './fields.ts'
import { type Param, param } from './params.ts'

/** Encodes a position in a paged answer as opaque text. `decode` throws INVALID_CURSOR for any other text. */
type Cursor<T> = { encode(place: T): string; decode(text: string): T }

/** The start of the next page; the window stays that of the first page. */
type OffsetPlace = { readonly offset: number; readonly window: Window }
export const offsetCursor: Cursor<OffsetPlace> = cursorOf(
  ({ offset, window }) => [offset, window.from, window.to],
  ([offset, ...edges]) => {
    const window = windowOf(edges)
    return window && isOffset(offset) ? { offset, window } : undefined
  },
)

type OutagePlace = { readonly window: Window; readonly after: OutagePosition }
export const outageCursor: Cursor<OutagePlace> = cursorOf(
  ({ window, after }) => [window.from, window.to, after.from, after.checkId],
  ([windowFrom, windowTo, from, checkId]) => {
    const window = windowOf([windowFrom, windowTo])
    return window && isInstant(from) && isId(checkId) ? { window, after: { from, checkId } } : undefined
  },
)

export const resultCursor: Cursor<Position> = cursorOf(
  ({ startedAt, runLocation, id }) => [startedAt, runLocation, id],
  ([startedAt, runLocation, id]) =>
    isInstant(startedAt) && isLocation(runLocation) && isId(id) ? { startedAt, runLocation, id } : undefined,
)

export const documentCursor: Cursor<LogPlace> = cursorOf(
  ({ position, ordinal }) => [position, ordinal],
  ([position, ordinal]) => (isOffset(position) && isOrdinal(ordinal) ? { position, ordinal } : undefined),
)

const maxLength = 1024

export function cursorParam<T>(description: string, cursor: Cursor<T>): Param<T | null> {
  return param(description, cursorField(cursor))
}

export function cursorField<T>(cursor: Cursor<T>): Field<T | null> {
  return {
    schema: { type: 'string', maxLength },
    parse: (_, value) => {
      if (value === undefined) return null
      if (typeof value !== 'string') throw apiError('INVALID_CURSOR')
      return cursor.decode(value)
    },
  }
}

function cursorOf<T>(
  partsOf: (place: T) => readonly (string | number)[],
  placeOf: (parts: readonly unknown[]) => T | undefined,
): Cursor<T> {
  return {
    encode: (place) => Buffer.from(JSON.stringify(partsOf(place))).toString('base64url'),
    decode(text) {
      const parts = text.length <= maxLength ? listIn(Buffer.from(text, 'base64url').toString()) : []
      const place = placeOf(parts)
      if (place === undefined || partsOf(place).length !== parts.length) throw apiError('INVALID_CURSOR')
      return place
    },
  }
}

function listIn(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function windowOf([from, to]: readonly unknown[]): Window | undefined {
  return isInstant(from) && isInstant(to) && from <= to ? { from, to } : undefined
}

const maxOffset = 2 ** 40

const isOrdinal = (value: unknown): value is number => isOffset(value) && value < 2 ** 32
const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= maxOffset
const isInstant = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= lastInstant
const isId = (value: unknown): value is string => typeof value === 'string' && idGrammar.test(value)
const isLocation = (value: unknown): value is string => typeof value === 'string' && value !== ''
