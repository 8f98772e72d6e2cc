import { useEffect, useState } from 'preact/hooks'

const shownMs = 2000

/** Copies text, and confirms it for two seconds. If the browser forbids copying, the message is `byHand`. */
export function useCopy(byHand: string): { readonly message: string; readonly copy: (text: string) => Promise<boolean> } {
  const [outcome, setOutcome] = useState<{ readonly isCopied: boolean } | null>(null)
  useEffect(() => {
    if (!outcome?.isCopied) return
    const timer = setTimeout(() => setOutcome(null), shownMs)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = async (text: string) => {
    setOutcome(null)
    const isCopied = await copyText(text)
    setOutcome({ isCopied })
    return isCopied
  }
  return { message: outcome === null ? '' : outcome.isCopied ? 'Copied' : byHand, copy }
}

/** Returns false if the browser forbids copying. Pages on plain HTTP have no `navigator.clipboard`. */
async function copyText(text: string): Promise<boolean> {
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
