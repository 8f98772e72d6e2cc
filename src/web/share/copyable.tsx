import { useRef } from 'preact/hooks'
import { useCopy } from './use-copy.ts'

export function Copyable({ label, text }: { readonly label: string; readonly text: string }) {
  const { message, copy } = useCopy('The browser blocked copying. The text is selected: copy it with Ctrl-C or ⌘C.')
  const shown = useRef<HTMLPreElement>(null)
  const copyOrSelect = async () => {
    if (!(await copy(text)) && shown.current !== null) getSelection()?.selectAllChildren(shown.current)
  }
  return (
    <figure class="copyable">
      <figcaption>
        <span>{label}</span>
        <span role="status">{message}</span>
        <button type="button" class="quiet-button" aria-label={`Copy: ${label}`} onClick={copyOrSelect}>
          Copy
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre ref={shown} tabIndex={0}>
        {text}
      </pre>
    </figure>
  )
}
