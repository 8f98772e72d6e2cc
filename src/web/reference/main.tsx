import { render } from 'preact'
import { startTheme } from '../state/theme.ts'
import type { TriedCall } from './request.ts'
import { Search } from './search.tsx'
import { followSession } from './session.ts'
import { TryIt } from './try-it.tsx'

startTheme()
const search = document.getElementById('reference-search')
if (search !== null) render(<Search />, search)
const calls = Array.from(document.querySelectorAll<HTMLElement>('[data-try]'), (place) => ({
  place,
  call: JSON.parse(place.dataset.try ?? '') as TriedCall,
}))
followSession((credentials) => {
  for (const { place, call } of calls) render(<TryIt call={call} credentials={credentials} />, place)
})
