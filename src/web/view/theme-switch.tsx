import { useState } from 'preact/hooks'
import { chooseTheme, chosenTheme, type Theme, themes } from '../state/theme.ts'
import { wordsOf } from './words.ts'

export function ThemeSwitch() {
  const [theme, setTheme] = useState(chosenTheme)
  const pick = (next: Theme) => {
    chooseTheme(next)
    setTheme(next)
  }
  return (
    <select class="theme-switch" aria-label="Colours" value={theme} onChange={(event) => pick(event.currentTarget.value as Theme)}>
      {themes.map((name) => (
        <option key={name} value={name}>
          {wordsOf(name)}
        </option>
      ))}
    </select>
  )
}
