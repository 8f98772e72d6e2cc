// @slow
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, test } from 'vitest'
import { triesOf } from '../../test/support/tries.ts'
import { cleanLabel } from './label.ts'
import { renderSvg } from './svg.ts'
import { badgeThemes, styles, tones } from './themes.ts'

const allowed: Readonly<Record<string, readonly string[]>> = {
  svg: ['xmlns', 'width', 'height', 'role', 'aria-label'],
  title: [],
  style: [],
  filter: ['id'],
  feGaussianBlur: ['stdDeviation'],
  linearGradient: ['id', 'x2', 'y2'],
  stop: ['offset', 'stop-color', 'stop-opacity'],
  clipPath: ['id'],
  g: [
    'clip-path',
    'shape-rendering',
    'class',
    'fill',
    'stroke',
    'text-anchor',
    'font-family',
    'text-rendering',
    'font-size',
    'font-weight',
    'line-height',
    'transform',
    'aria-hidden',
  ],
  rect: ['id', 'class', 'x', 'y', 'width', 'height', 'rx', 'fill', 'stroke'],
  path: ['class', 'd', 'fill'],
  text: ['class', 'x', 'y', 'fill', 'fill-opacity', 'filter', 'textLength', 'transform', 'font-weight'],
}

const names = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 100 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 100 }) },
  { weight: 2, arbitrary: fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 100 }).map((units) => String.fromCharCode(...units)) },
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.constantFrom(
          ...[...'<>&"\'\u0000\u0008\u000b\u001b\u007f\u0085\u2028\u202e\u2066\ufffe\uffff\ud800אبש'],
          ...[
            ']]>',
            '<!--',
            '<script>',
            '</text>',
            '</svg>',
            '&amp;',
            '&#0;',
            '$&',
            '$1',
            ' fill="#333"',
            '<![CDATA[',
            '<?xml?>',
            '👨‍👩‍👧‍👦',
            '🇳🇴',
            'e\u0301',
            'İ',
            'ß',
            'ﬃ',
          ],
        ),
        { maxLength: 100 },
      )
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 10 }).map((part) => part.repeat(5000).slice(0, 5000)) },
)

describe('the SVG of a badge', () => {
  test('is well formed, small, safe and readable, whatever the name', () => {
    const look = fc.record({ style: fc.constantFrom(...styles), theme: fc.constantFrom(...badgeThemes), tone: fc.constantFrom(...tones) })
    fc.assert(
      fc.property(names, look, (name, { style, theme, tone }) => {
        const label = cleanLabel(name) || 'check'
        const svg = renderSvg({ label, message: 'passing', tone }, style, theme)
        const { root, foreign } = parse(svg)
        expect(foreign).toEqual([])
        expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(8192)
        expect(root['aria-label']).toBe(`${label}: passing`)
        expect(lettersOf(root['aria-label'] ?? '').startsWith(certainLetters(name))).toBe(true)
      }),
      { numRuns: triesOf(10_000) },
    )
  }, 120_000)

  test.each(styles)('has an accessible name in the style %s', (style) => {
    const { root, title } = parse(
      renderSvg({ label: 'checkout “EU” & <co>', message: 'passing | 231 ms', tone: 'passing' }, style, 'light'),
    )
    expect(root).toMatchObject({ role: 'img', 'aria-label': 'checkout “EU” & <co>: passing | 231 ms' })
    expect(title).toBe('checkout “EU” & <co>: passing | 231 ms')
  })

  test('is no wider for a name of 5,000 characters than for one of 60', () => {
    const widthOf = (name: string) =>
      Number(parse(renderSvg({ label: cleanLabel(name), message: 'passing', tone: 'passing' }, 'flat', 'light')).root.width)
    expect(widthOf('W'.repeat(5000))).toBeLessThanOrEqual(widthOf('W'.repeat(60)))
  })
})

function parse(svg: string) {
  const parser = new SaxesParser({ xmlns: false })
  const foreign: string[] = []
  const seen: { root: Readonly<Record<string, string>> | null; title: string } = { root: null, title: '' }
  let element = ''
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    element = name
    seen.root ??= attributes
    for (const attribute of Object.keys(attributes)) if (!allowed[name]?.includes(attribute)) foreign.push(`${name} ${attribute}`)
    if (!allowed[name]) foreign.push(name)
  })
  parser.on('text', (text) => {
    if (element === 'title') seen.title += text
  })
  parser.on('closetag', () => {
    element = ''
  })
  for (const event of ['comment', 'cdata', 'processinginstruction', 'doctype'] as const) parser.on(event, () => foreign.push(event))
  parser.write(svg).close()
  return { root: seen.root ?? {}, title: seen.title, foreign }
}

/** Letters and digits of a name, without combining marks. */
function lettersOf(name: string): string {
  return [...name.normalize('NFD')].filter((character) => /[\p{L}\p{N}]/u.test(character)).join('')
}

/** Letters that are always shown: truncation never reaches the first 20 characters. */
function certainLetters(name: string): string {
  return lettersOf([...name].slice(0, 20).join(''))
}
