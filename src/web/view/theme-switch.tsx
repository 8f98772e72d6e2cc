import { useState } from 'preact/hooks'
import { chooseTheme, chosenTheme, type Theme, themes } from '../state/theme.ts'

const names: Readonly<Record<Theme, string>> = { system: 'Auto', light: 'Light', dark: 'Dark' }

export function ThemeSwitch() {
  const [theme, setTheme] = useState(chosenTheme)
  const pick = (next: Theme) => {
    chooseTheme(next)
    setTheme(next)
  }
  return (
    <label class="theme-switch" title="Colours of the page; auto follows the system">
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.2" />
        <path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" />
      </svg>
      <select aria-label="Colours" value={theme} onChange={(event) => pick(event.currentTarget.value as Theme)}>
        {themes.map((name) => (
          <option key={name} value={name}>
            {names[name]}
          </option>
        ))}
      </select>
    </label>
  )
}
