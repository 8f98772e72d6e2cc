import { useRef, useState } from 'preact/hooks'

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

/** Copies text; false where the browser does not allow it. Pages on plain HTTP have no `navigator.clipboard`. */
export async function copyText(text: string): Promise<boolean> {
  const copied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  return copied || copyByCommand(text)
}

function copyByCommand(text: string): boolean {
  let copied = false
  const fill = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    copied = event.clipboardData !== null
  }
  document.addEventListener('copy', fill)
  const allowed = document.execCommand('copy')
  document.removeEventListener('copy', fill)
  return allowed && copied
}
