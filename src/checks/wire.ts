import type { Mapping } from '../collections/mapping.ts'
import { dayMs, hourMs, minuteMs } from '../time.ts'
import type { WireReader } from './wire-reader.ts'

/** The API representation of a type's settings. */
export type WireCodec<Settings> = {
  /** The path of its checks below `/v1/checks/`. */
  readonly path: string
  /** The settings in a body. */
  readonly read: (body: WireReader, kept: Kept) => Mapping
  /** The fields of a body for settings whose texts may be variables. */
  readonly write: (settings: Settings, known: Known<Settings>) => Mapping
  /** JSON pointers of settings and of where they stand in a body, as far as they differ. */
  readonly pointers?: Readonly<Record<string, string>>
  /** Whether checks of this type have variables of their own, for their settings. */
  readonly hasVariables?: true
}

/** Defaults of the server for a body. */
export type Kept = {
  /** The definition that is replaced. */
  readonly previous: Mapping | undefined
  readonly newToken: () => string
}

/** Facts of the server that a definition does not have. */
export type Known<Settings> = {
  /** The settings that runs have. */
  readonly resolved: Settings
  /** The address that pings with this token go to, where the answer may have it. */
  readonly pingUrl?: ((token: string) => string) | undefined
}

/** The settings under their own names: for a type that the API has no shape for. */
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

/** Without the entries that are undefined. */
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
