import { render } from 'preact'
import type { PageCredentials } from '../api/client.ts'
import { useCopy } from '../share/use-copy.ts'
import { clearCredentials, joinCredentials, loadCredentials } from '../state/credentials.ts'
import { connectTabs } from '../state/tabs.ts'
import { startTheme } from '../state/theme.ts'
import { ReferenceBar } from './reference-bar.tsx'
import type { TriedCall } from './request.ts'
import { Search } from './search.tsx'
import { TryIt } from './try-it.tsx'

startTheme()
const search = document.getElementById('reference-search')
if (search !== null) render(<Search />, search)
for (const example of document.querySelectorAll('.example')) {
  const place = example.appendChild(document.createElement('span'))
  render(<CopyButton text={example.querySelector('pre')?.textContent ?? ''} />, place)
}
const calls = Array.from(document.querySelectorAll<HTMLElement>('[data-try]'), (place) => ({
  place,
  call: JSON.parse(place.dataset.try ?? '') as TriedCall,
}))
const bar = document.querySelector('header.top')
followSession((credentials) => {
  if (bar !== null) render(<ReferenceBar credentials={credentials} />, bar)
  for (const { place, call } of calls) render(<TryIt call={call} credentials={credentials} />, place)
})

/** Follows the session of this tab, and of other tabs of the browser. */
function followSession(show: (credentials: PageCredentials | null) => void): void {
  let current = loadCredentials()
  const change = (credentials: PageCredentials | null) => {
    current = credentials
    show(credentials)
  }
  const tabs = connectTabs({
    current: () => current,
    onSession(credentials) {
      joinCredentials(credentials)
      change(credentials)
    },
    onEnd() {
      clearCredentials()
      change(null)
    },
  })
  show(current)
  if (current === null) tabs.ask()
}

function CopyButton({ text }: { readonly text: string }) {
  const { message, copy } = useCopy('Select it, and copy it with Ctrl-C or ⌘C.')
  return (
    <span class="copy-example">
      <span role="status">{message}</span>
      <button type="button" class="quiet-button" onClick={() => copy(text)}>
        Copy
      </button>
    </span>
  )
}
