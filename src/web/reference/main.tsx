import { render } from 'preact'
import { loadCredentials } from '../state/credentials.ts'
import { startTheme } from '../state/theme.ts'
import type { Call } from './request.ts'
import { Search } from './search.tsx'
import { TryIt } from './try-it.tsx'

startTheme()
const search = document.getElementById('reference-search')
if (search !== null) render(<Search />, search)
for (const place of document.querySelectorAll<HTMLElement>('[data-try]')) {
  const call = JSON.parse(place.dataset.try ?? '') as Call
  render(<TryIt call={call} credentials={loadCredentials()} />, place)
}
