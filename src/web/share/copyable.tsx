import { useState } from 'preact/hooks'

/** Text with a copy button. */
export function Copyable({ label, text }: { readonly label: string; readonly text: string }) {
  const [message, setMessage] = useState('')
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => tell('Copied'),
      () => tell('Select the text and copy it'),
    )
  const tell = (words: string) => {
    setMessage(words)
    setTimeout(() => setMessage(''), 2000)
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
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}
