import { useState } from 'preact/hooks'
import { copyText } from '../share/copyable.tsx'

const shownMs = 2000

/** Copies an example. */
export function CopyButton({ text }: { readonly text: string }) {
  const [message, setMessage] = useState('')
  const copy = async () => {
    setMessage((await copyText(text)) ? 'Copied' : 'Select it, and copy it with Ctrl-C or ⌘C.')
    setTimeout(() => setMessage(''), shownMs)
  }
  return (
    <span class="copy-example">
      <span role="status">{message}</span>
      <button type="button" class="quiet-button" onClick={copy}>
        Copy
      </button>
    </span>
  )
}
