import { useEffect, useState } from 'preact/hooks'
import { useRoute } from '../state/route.tsx'
import { lazyView } from '../view/lazy-view.tsx'

const Palette = lazyView(async () => (await import('./palette.tsx')).Palette, null)

/** Opens the palette, like `/` and Ctrl-K anywhere on the page. */
export function PaletteButton() {
  const [open, setOpen] = useState(false)
  const route = useRoute()
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isShortcut(event) || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      setOpen(true)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
  return (
    <>
      <button type="button" class="quiet-button" aria-haspopup="dialog" aria-keyshortcuts="/ Control+K" onClick={() => setOpen(true)}>
        Go to…&nbsp;<kbd>/</kbd>
      </button>
      {open && <Palette route={route} onClose={() => setOpen(false)} />}
    </>
  )
}

function isShortcut({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (key.toLowerCase() === 'k') return (ctrlKey || metaKey) && !altKey
  const typing = target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName))
  return key === '/' && !typing && !ctrlKey && !metaKey && !altKey
}
