import { useRef, useState } from 'preact/hooks'
import { copyText } from './copy-text.ts'

/** Text with a copy button. */
export function Copyable({ label, text }: { readonly label: string; readonly text: string }) {
  const [message, setMessage] = useState('')
  const shown = useRef<HTMLPreElement>(null)
  const copy = async () => {
    if (await copyText(text)) {
      setMessage('Copied')
      setTimeout(() => setMessage(''), 2000)
      return
    }
    if (shown.current !== null) getSelection()?.selectAllChildren(shown.current)
    setMessage('The browser does not allow it. The text is selected: copy it with Ctrl-C or ⌘C.')
  }
  return (
    <figure class="copyable">
      <figcaption>
        <span>{label}</span>
        <span role="status">{message}</span>
        <button type="button" class="quiet-button" aria-label={`Copy: ${label}`} onClick={copy}>
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
