import { describe, expect, test } from 'vitest'
import { lowestContrast, overlaysOf } from '../../test/support/contrast.ts'
import { renderSvg } from './svg.ts'
import { badgeThemes, schemeOf, styles, tones } from './themes.ts'

/** The vertical extent of letters, in pixels around the baseline. */
const ascent = 9
const descent = 3

describe.each(styles)('the style %s', (style) => {
  describe.each(badgeThemes)('in the theme %s', (theme) => {
    test.each(tones)('has a contrast of at least 4.5:1 on both halves when %s', (tone) => {
      const svg = renderSvg({ label: 'gy', message: 'gy', tone }, style, theme)
      const { day, night } = schemeOf(style, theme, tone)
      for (const colours of night ? [day, night] : [day]) {
        const [onLabel, onMessage] = overlays(svg, style)
        expect(lowestContrast(colours.labelText, colours.labelBack, onLabel)).toBeGreaterThanOrEqual(4.5)
        expect(lowestContrast(colours.messageText, colours.messageBack, onMessage)).toBeGreaterThanOrEqual(4.5)
      }
    })

    test.each(tones)('is drawn in the colours that were checked when %s', (tone) => {
      const svg = renderSvg({ label: 'gy', message: 'gy', tone }, style, theme)
      const { day, night } = schemeOf(style, theme, tone)
      const parts = ['labelBack', 'labelText', 'messageBack', 'messageText'] as const
      for (const part of parts) expect(svg).toContain(`fill="${day[part]}"`)
      for (const part of parts) if (night && night[part] !== day[part]) expect(svg).toContain(`{fill:${night[part]}}`)
      expect(svg).not.toMatch(/#fffff[de]/)
    })
  })
})

function overlays(svg: string, style: (typeof styles)[number]) {
  const height = Number(/ height="(\d+)"/.exec(svg)?.[1])
  const baseline = Math.min(...[...svg.matchAll(/ y="(\d{3})"/g)].map(([, y]) => Number(y) / 10))
  const between = (id: string) => overlaysOf(svg, id, (baseline - ascent) / height, (baseline + descent) / height)
  return style === 'social' ? ([between('a'), []] as const) : ([between('s'), between('s')] as const)
}
