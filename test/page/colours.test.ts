import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { lowestContrast } from '../support/contrast.ts'

type Triple = readonly [number, number, number]

/** How linear red, green and blue are perceived, by the model of Machado, Oliveira and Fernandes (2009) at full severity. */
const eyes: Readonly<Record<string, readonly Triple[]>> = {
  'all colours': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'no green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'no blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

const [light = '', dark = ''] = readFileSync(new URL('../../src/web/style/colours.css', import.meta.url), 'utf8').split(
  '[data-theme="dark"]',
)
const schemes = { light: coloursOf(light), dark: coloursOf(dark) }
const clearlyApart = 10

describe.each(Object.entries(schemes))('in %s', (_, colours) => {
  test.each(Object.keys(eyes))('lines of a chart are distinguishable for eyes that see %s', (eye) => {
    for (const names of [numbered('series', 6), ['passing-soft', 'failing'], ['band-p50', 'band-p90', 'band-p95', 'band-p99']]) {
      const seen = names.map((name) => seenBy(eye, colours[name] ?? ''))
      seen.forEach((one, index) => {
        for (const other of seen.slice(index + 1)) expect(distance(one, other)).toBeGreaterThan(clearlyApart)
      })
    }
  })

  test('text is readable on every background', () => {
    for (const ink of ['text', 'quiet', 'accent', 'passing', 'failing-text', 'degraded', 'unknown', 'paused']) {
      for (const back of ['surface', 'background']) expect(lowestContrast(colours[ink] ?? '', colours[back] ?? '', [])).toBeGreaterThan(4.5)
    }
  })
})

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index + 1}`)
}

function coloursOf(css: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...css.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name = '', colour = '']) => [name, colour]))
}

/** The CIELAB coordinates of a colour as such eyes see it. */
function seenBy(eye: string, colour: string): Triple {
  const linear = [1, 3, 5].map((at) => toLinear(Number.parseInt(colour.slice(at, at + 2), 16) / 255))
  const [red = 0, green = 0, blue = 0] = (eyes[eye] ?? []).map((row) =>
    clamp(row.reduce((sum, part, at) => sum + part * (linear[at] ?? 0), 0)),
  )
  const x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047)
  const y = root(0.2126 * red + 0.7152 * green + 0.0722 * blue)
  const z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

function distance(one: Triple, other: Triple): number {
  return Math.hypot(...one.map((value, at) => value - (other[at] ?? 0)))
}

function toLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

function root(value: number): number {
  return value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}
