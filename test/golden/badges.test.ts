import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type BadgeMessage, stateMessage } from '../../src/badges/message.ts'
import { renderSvg } from '../../src/badges/svg.ts'
import { type BadgeTheme, badgeThemes, type Style, styles } from '../../src/badges/themes.ts'
import { checkStates } from '../../src/store/current-state.ts'

/** `UPDATE_GOLDEN=1 npx vitest run test/golden` rewrites the files; review the changes afterwards. */
const updating = process.env.UPDATE_GOLDEN === '1'
const folder = new URL('./badges/', import.meta.url)

type Golden = { readonly file: string; readonly news: BadgeMessage; readonly style: Style; readonly theme: BadgeTheme }

const goldens: readonly Golden[] = styles.flatMap((style) =>
  badgeThemes.flatMap((theme) => [
    ...checkStates.map((state) => ({ file: `${style}-${theme}-${state}.svg`, news: stateMessage(state, null), style, theme })),
    { file: `${style}-${theme}-passing-231ms.svg`, news: stateMessage('passing', 231.4), style, theme },
  ]),
)

describe('the badges of every style, theme and state', () => {
  test.each(goldens)('$file matches the reviewed golden file', ({ file, news, style, theme }) => {
    const drawn = renderSvg({ label: 'Homepage', ...news }, style, theme)
      .replaceAll('><', '>\n<')
      .concat('\n')
    if (updating) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(new URL(file, folder), drawn)
    }
    expect(drawn).toBe(readFileSync(new URL(file, folder), 'utf8'))
  })

  test('there are no unused golden files', () => {
    expect(readdirSync(folder).toSorted()).toEqual(goldens.map(({ file }) => file).toSorted())
  })
})
