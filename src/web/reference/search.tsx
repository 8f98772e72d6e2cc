import { useState } from 'preact/hooks'
import { LabelledField } from '../view/fields.tsx'

/** Filters the endpoints and their menu entries by words. */
export function Search() {
  const [found, setFound] = useState<number | null>(null)
  const onInput = (text: string) => setFound(text.trim() === '' ? showAll() : showMatches(text))
  return (
    <search>
      <LabelledField label="Search">
        {(id) => <input id={id} type="search" onInput={(event) => onInput(event.currentTarget.value)} />}
      </LabelledField>
      <p class="note" role="status">
        {found === null ? '' : found === 0 ? 'No matches.' : `${found} found`}
      </p>
    </search>
  )
}

function showAll(): null {
  for (const element of document.querySelectorAll<HTMLElement>('.reference [hidden]')) element.hidden = false
  return null
}

function showMatches(text: string): number {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const section of document.querySelectorAll<HTMLElement>('.reference section')) {
    const content = searchedText(section)
    section.hidden = !words.every((word) => content.includes(word))
    if (!section.hidden) found += 1
    const entry = document.querySelector(`.endpoints a[href="#${CSS.escape(section.id)}"]`)?.closest('li')
    if (entry) entry.hidden = section.hidden
  }
  for (const group of document.querySelectorAll<HTMLElement>('.endpoints')) group.hidden = group.querySelector('li:not([hidden])') === null
  return found
}

/** Names and descriptions without responses, because every endpoint documents the same errors. */
function searchedText(section: HTMLElement): string {
  const parts = section.querySelectorAll(':scope > h2, :scope > .call, :scope > p, .parameters th')
  return [...parts].map(({ textContent }) => textContent?.toLowerCase() ?? '').join(' ')
}
