import type { Mapping } from '../collections/mapping.ts'
import { dayMs, hourMs, minuteMs } from '../time.ts'
import type { WireReader } from './wire-reader.ts'

/** The API representation of a type's settings. */
export type WireCodec<Settings> = {
  /** The path of its checks below `/v1/checks/`. */
  readonly path: string
  readonly read: (body: WireReader, kept: Kept) => Mapping
  /** Texts of the settings may contain variables. */
  readonly write: (settings: Settings, known: Known<Settings>) => Mapping
  /** Maps JSON pointers of settings to those of the body, if they differ. */
  readonly pointers?: Readonly<Record<string, string>>
  /** Whether checks of this type have variables of their own, which their settings refer to. */
  readonly hasVariables?: true
}

/** Server-side defaults for a body. */
export type Kept = {
  /** The definition that the body replaces. */
  readonly previous: Mapping | undefined
  readonly newToken: () => string
}

/** Facts that only the server knows. */
export type Known<Settings> = {
  /** The settings with variables resolved, as runs use them. */
  readonly resolved: Settings
  /** The ping URL of a token; undefined if the response must not contain it. */
  readonly pingUrl?: ((token: string) => string) | undefined
}

/** Passes the settings through unchanged: for a type without an API representation of its own. */
export function plainCodec(path: string, names: readonly string[]): WireCodec<Mapping> {
  return {
    path,
    read: (body) => {
      body.ignore('request')
      return present(Object.fromEntries(names.map((name) => [name, body.raw(name) ?? undefined])))
    },
    write: (settings) => settings,
  }
}

/** Drops undefined entries. */
export function present<T>(fields: Readonly<Record<string, T | undefined>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, T] => entry[1] !== undefined))
}

/** `notEquals` → `NOT_EQUALS`. */
export function wireWord(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

/** Names by their words in bodies. */
export function wireWords<Name extends string>(names: readonly Name[]): Readonly<Record<string, Name>> {
  return Object.fromEntries(names.map((name) => [wireWord(name), name]))
}

/** For words that bodies and settings share. */
export function sameWords(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map((word) => [word, word]))
}

const units: readonly (readonly [string, number])[] = [
  ['d', dayMs],
  ['h', hourMs],
  ['m', minuteMs],
  ['s', 1000],
  ['ms', 1],
]

/** A duration in its largest unit: `90s`, `2h`. */
export function shortDuration(ms: number): string {
  const [unit, size] = units.find(([, each]) => ms % each === 0) ?? ['ms', 1]
  return `${Math.round(ms / size)}${unit}`
}
